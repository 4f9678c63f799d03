"""What is shown of tuning and reranking: `weigh tune`, `weigh rerank`."""

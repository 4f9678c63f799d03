// Light and dark, what is copied, and what is saved.
const element = (tag, content = "", name = "") => {
  const made = document.createElement(tag);
  made.textContent = content;
  if (name) made.className = name;
  return made;
};
const byId = (id) => document.getElementById(id);

const themeButton = byId("theme");
const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
const nameTheme = () => {
  themeButton.textContent = isDark() ? "Light colours" : "Dark colours";
};
themeButton.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
nameTheme();
themeButton.hidden = false;
for (const bar of document.querySelectorAll(".controls")) bar.hidden = false;

async function copy(source, button) {
  const selection = getSelection();
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // A page from disk may have no clipboard: the selection can still be copied.
    selection.selectAllChildren(source);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
}
for (const source of document.querySelectorAll(".copied")) {
  const button = element("button", "Copy", "copy");
  button.type = "button";
  button.addEventListener("click", () => copy(source, button));
  source.after(" ", button);
}

// The text of compressed data.
async function unpack(id) {
  const packed = atob(byId(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

byId("save").hidden = false;
byId("save").addEventListener("click", async () => {
  const file = new Blob([await unpack("data")], { type: "application/json" });
  const link = element("a");
  link.href = URL.createObjectURL(file);
  link.download = "weigh.json";
  link.click();
  // A busy machine may take its time to begin saving.
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
});


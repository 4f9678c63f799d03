// Light and dark colours, copying text, and saving the document.
const element = (tag, content = "", className = "") => {
  const created = document.createElement(tag);
  created.textContent = content;
  if (className) created.className = className;
  return created;
};
const byId = (id) => document.getElementById(id);

const themeButton = byId("theme");
const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
const labelThemeButton = () => {
  themeButton.textContent = isDark() ? "Light colours" : "Dark colours";
};
themeButton.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  labelThemeButton();
});
labelThemeButton();
themeButton.hidden = false;
for (const bar of document.querySelectorAll(".controls")) bar.hidden = false;

async function copy(source, button) {
  const selection = getSelection();
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Pages opened from disk may not have the clipboard API, but can copy the selection.
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

// Decompress the content of a script element.
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
  // On a busy machine, saving may start late.
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
});


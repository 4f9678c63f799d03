"use strict";
// Without this the pages work as well: it only looks for news while somebody looks at the page.
(() => {
  const SOON = 2000;
  const LATER = 15000;
  if (!document.querySelector("[data-live]")) return;

  const isBusy = (part) =>
    part.contains(document.activeElement) || part.querySelector("details[open]") !== null ||
    !document.getSelection().isCollapsed;

  const refresh = async () => {
    if (document.visibilityState !== "visible") return;
    const response = await fetch(location.pathname + location.search, { credentials: "same-origin" });
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of document.querySelectorAll("[data-live]")) {
      const later = fresh.getElementById(part.id);
      if (later && !isBusy(part) && later.innerHTML !== part.innerHTML) part.replaceWith(later);
    }
    // Results come once there are some.
    for (const later of fresh.querySelectorAll("[data-live]")) {
      if (!document.getElementById(later.id)) {
        document.getElementById("judges").before(later);
      }
    }
  };

  const again = () => {
    const pause = document.querySelector('[data-pending="now"]') ? SOON : LATER;
    setTimeout(() => refresh().catch(() => {}).finally(again), pause);
  };
  again();
})();

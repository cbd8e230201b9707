// Shows deliveries as they arrive: fetches this same page and puts its main part in place when it has changed.
"use strict";

async function refresh() {
  try {
    const answer = await fetch("/merchant", { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const shown = document.querySelector("main");
    if (fresh && fresh.innerHTML !== shown.innerHTML) shown.replaceWith(document.adoptNode(fresh));
  } catch {
    // The simulator is away for a moment; the next round tries again.
  }
  setTimeout(refresh, 2000);
}

setTimeout(refresh, 2000);

// A button beside each text that is to be pasted elsewhere. Without a script, or without leave for the clipboard, the text is
// selected as ever.
"use strict";

function furnish(text) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = text.dataset.copy;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = text.dataset.copied;
    } catch {
      getSelection().selectAllChildren(text);
    }
  });
  text.removeAttribute("data-copy");
  text.before(button);
}

function furnishAll() {
  if (navigator.clipboard) document.querySelectorAll("[data-copy]").forEach(furnish);
}

addEventListener("DOMContentLoaded", furnishAll);
addEventListener("htmx:afterSettle", furnishAll);

// A button beside each text that is to be pasted elsewhere, and one that prints the page. Without a script, or without leave
// for the clipboard, the text is selected as ever.
"use strict";

function buttonOf(label) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = label;
  return button;
}

function furnish(text) {
  const button = buttonOf(text.dataset.copy);
  if (text.id) button.setAttribute("aria-describedby", `${text.id}-name`);
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.value ?? text.textContent);
      button.textContent = text.dataset.copied;
    } catch {
      if (text.select) text.select();
      else getSelection().selectAllChildren(text);
    }
  });
  text.removeAttribute("data-copy");
  text.before(button);
}

function furnishPrint(place) {
  const button = buttonOf(place.dataset.print);
  button.addEventListener("click", () => print());
  place.removeAttribute("data-print");
  place.append(button);
}

function furnishAll() {
  if (navigator.clipboard) document.querySelectorAll("[data-copy]").forEach(furnish);
  document.querySelectorAll("[data-print]").forEach(furnishPrint);
}

addEventListener("DOMContentLoaded", furnishAll);
addEventListener("htmx:afterSettle", furnishAll);

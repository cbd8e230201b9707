// What a script adds to the page of an order: buttons that copy, and an end that is seen at once. It works without, too.
"use strict";

const SOONEST = 3000, LATEST = 15000; // milliseconds between two questions; they grow apart while nothing happens

for (const button of document.querySelectorAll("[data-copies]")) {
  const says = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (!(await copied(document.getElementById(button.dataset.copies)))) return;
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = says; }, 2000);
  });
}

async function copied(value) {
  try {
    await navigator.clipboard.writeText(value.textContent.trim());
    return true;
  } catch {
    // Without https there is no clipboard; what is selected can be copied all the same.
    getSelection().selectAllChildren(value);
    return document.execCommand("copy");
  }
}

const waiting = document.querySelector("[data-waits]");
if (waiting) follow(waiting.dataset.waits, SOONEST);

function follow(tag, pause) {
  setTimeout(() => {
    if (document.hidden) {
      document.addEventListener("visibilitychange", () => look(tag, SOONEST), { once: true });
    } else {
      look(tag, pause);
    }
  }, pause);
}

async function look(tag, pause) {
  try {
    const answer = await fetch(location.pathname + "/state", { headers: { "if-none-match": tag }, credentials: "omit" });
    if (answer.ok) {
      location.reload();
      return;
    }
  } catch {
    // The line is broken for a moment: the next question tells.
  }
  follow(tag, Math.min(pause * 1.1, LATEST));
}

// What a script adds to the phone page; without it every form works all the same.
"use strict";

const pay = document.getElementById("pay");
if (pay) {
  pay.addEventListener("submit", (event) => {
    const button = event.submitter || pay.querySelector("button");
    // After the form has been collected, so that nothing of it gets lost.
    setTimeout(() => { button.disabled = true; button.textContent = pay.dataset.paying; }, 0);
  });
  window.addEventListener("pageshow", (event) => { if (event.persisted) window.location.reload(); });
}

const read = document.getElementById("read");
if (read) {
  const text = document.getElementById("qrcodeData");
  text.addEventListener("paste", () => setTimeout(() => { if (text.value.trim()) read.requestSubmit(); }, 0));

  const scan = document.getElementById("scan");
  const button = document.getElementById("look");
  const picture = document.getElementById("picture");
  picture.addEventListener("change", () => { if (picture.files.length) scan.requestSubmit(); });
  if (navigator.mediaDevices) {
    button.hidden = false;
    button.addEventListener("click", () => look(button, scan.action, (found) => { text.value = found; read.requestSubmit(); }));
  }
}

// Looks through the camera until there is a code. The phone's bank finds it: few browsers can by themselves.
async function look(button, bank, done) {
  const camera = document.getElementById("camera");
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    button.hidden = true;
    document.getElementById("blind").hidden = false;
    return;
  }
  button.disabled = true;
  camera.srcObject = stream;
  camera.hidden = false;
  await camera.play();
  const canvas = document.createElement("canvas");
  const step = async () => {
    const found = await seen(camera, canvas, bank).catch(() => null);
    if (found) {
      stream.getTracks().forEach((track) => track.stop());
      done(found);
    } else {
      setTimeout(step, 250);
    }
  };
  step();
}

async function seen(camera, canvas, bank) {
  canvas.width = camera.videoWidth;
  canvas.height = camera.videoHeight;
  canvas.getContext("2d").drawImage(camera, 0, 0);
  const shot = await new Promise((taken) => canvas.toBlob(taken, "image/jpeg", 0.8));
  const form = new FormData();
  form.append("picture", shot, "camera.jpg");
  const answer = await fetch(bank, { method: "POST", body: form, headers: { Accept: "application/json" } });
  return answer.ok ? (await answer.json()).qrcodeData : null;
}

if (document.querySelector("[data-pending]")) {
  setTimeout(() => window.location.reload(), 2000);
}

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
  const camera = document.getElementById("camera");
  if ("BarcodeDetector" in window && navigator.mediaDevices) {
    scan.hidden = false;
    scan.addEventListener("click", () => look(camera, scan, (found) => { text.value = found; read.requestSubmit(); }));
  }
}

async function look(camera, button, done) {
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    button.hidden = true;
    return;
  }
  button.disabled = true;
  camera.srcObject = stream;
  camera.hidden = false;
  await camera.play();
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  const step = async () => {
    const [code] = await detector.detect(camera).catch(() => []);
    if (code) {
      stream.getTracks().forEach((track) => track.stop());
      done(code.rawValue);
    } else {
      requestAnimationFrame(step);
    }
  };
  step();
}

if (document.querySelector("[data-pending]")) {
  setTimeout(() => window.location.reload(), 2000);
}

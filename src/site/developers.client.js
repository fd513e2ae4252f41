// What needs a script on the developers' pages: running and copying examples, sending a form only once, and
// noticing the decision on an application.

for (const button of document.querySelectorAll("button[data-run]")) {
  const shown = document.getElementById(button.getAttribute("aria-controls"));
  const output = shown.querySelector("pre");
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    shown.hidden = false;
    output.textContent = "…";
    const begun = performance.now();
    try {
      const response = await fetch(button.dataset.run);
      const answer = await response.json();
      const took = Math.round(performance.now() - begun);
      output.textContent = `${response.status} in ${took} ms\n\n${JSON.stringify(answer, null, 2)}`;
    } catch (error) {
      output.textContent = `No response: ${error.message}`;
    }
    button.disabled = false;
    shown.focus();
  });
}

// Browsers let only secure pages write to the clipboard, and may refuse it even there.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const code = document.getElementById(button.dataset.copy);
    const outcome = button.parentElement.querySelector("[role=status]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      outcome.textContent = "";
      try {
        await navigator.clipboard.writeText(code.textContent);
        outcome.textContent = "Copied";
        setTimeout(() => {
          if (outcome.textContent === "Copied") outcome.textContent = "";
        }, 2_000);
      } catch {
        getSelection().selectAllChildren(code);
        outcome.textContent =
          "Not copied: your browser does not allow it. The text is selected, so you can copy it yourself.";
      }
    });
  }
}

// Ignores a second click while the first is being answered: its answer would replace the first, the only one
// that shows a new key.
const forms = document.querySelectorAll("form[method=post]");
for (const form of forms) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    // No answer takes this long. If the page is still here, its visitor has stopped loading, and may try
    // again.
    setTimeout(() => delete form.dataset.sent, 10_000);
  });
}
// The back button shows the page as it was left, and its forms must work again.
addEventListener("pageshow", () => {
  for (const form of forms) delete form.dataset.sent;
});

// Polls for the decision on a waiting application while its page is visible.
const waiting = document.querySelector("[data-waiting]");
if (waiting) {
  waiting.hidden = false;
  setInterval(async () => {
    if (document.hidden) return;
    const response = await fetch(location.href).catch(() => null);
    if (response?.ok && !(await response.text()).includes("data-waiting")) location.reload();
  }, 15_000);
}


"use strict";
// Sorting, filtering, switching and copying. All else works without.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // A switch shows one panel among those of its kind: a tool for the whole page of pictures, the
  // columns of the heat map for every tool at once.
  const show = (kind, value) => {
    for (const panel of all(`[data-${kind}]`)) panel.hidden = panel.dataset[kind] !== value;
    for (const input of all(`[data-switch="${kind}"] input`)) input.checked = input.value === value;
  };
  for (const control of all("[data-switch]")) {
    const kind = control.dataset.switch;
    control.hidden = false;
    show(kind, "0");
    control.addEventListener("change", (event) => show(kind, event.target.value));
  }

  const table = document.getElementById("seed-table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent;
    const number = Number(text);
    return text !== "" && Number.isFinite(number) ? number : text.toLowerCase();
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      // Numbers are most telling from the top, names from the start.
      const numbers = rows.some((row) => typeof key(row, column) === "number");
      const first = numbers ? "descending" : "ascending";
      const second = numbers ? "ascending" : "descending";
      const order = now === first ? second : first;
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      rows.sort((a, b) => sign * compare(key(a, column), key(b, column)));
      body.append(...rows);
    });
  });

  const form = document.querySelector(".filters");
  const [text, group, state, count] = ["text", "group", "state", "count"]
    .map((name) => document.getElementById(`filter-${name}`));
  const filter = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const name = row.cells[0].textContent.toLowerCase();
      const fits = words.every((word) => name.includes(word))
        && (group.value === "" || row.dataset.group === group.value)
        && (state.value === "" || row.dataset.state.split(" ").includes(state.value));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    count.textContent = `${shown} of ${rows.length} seeds`;
  };
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".commands button");
    if (!button) return;
    const pre = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      // A browser may refuse: then the text is selected, for the keyboard.
      getSelection().selectAllChildren(pre);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      return;
    }
    button.textContent = "Copied";
  });

  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target?.matches("details.seed")) return;
    target.open = true;
    target.scrollIntoView();
    target.firstElementChild.focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    // The same link again changes no hash.
    const link = event.target.closest('a[href^="#seed-"]');
    if (link && link.hash === location.hash) follow();
  });

  // What follows the script in the page.
  addEventListener("DOMContentLoaded", () => {
    for (const commands of all(".commands")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.setAttribute("aria-live", "polite");
      commands.append(button);
    }
    follow();
  });

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
})();

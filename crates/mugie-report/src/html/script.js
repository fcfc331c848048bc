
"use strict";
// Sorting, filtering, switching, following links and copying. All else works without.
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

  // A seed fits if it does with one of the tools: with the verdict, and with a failing mutant by the
  // operator.
  const fits = (item, wanted) => {
    const name = item.querySelector("a").textContent.toLowerCase();
    if (!wanted.words.every((word) => name.includes(word))) return false;
    if (wanted.group && item.dataset.group !== wanted.group) return false;
    const [is, by] = [item.dataset.is.split(" "), item.dataset.by.split(" ")];
    const tools = wanted.tool ? [wanted.tool] : new Set([...is, ...by].map((mark) => mark.split(":")[0]));
    return [...tools].some((tool) =>
      (!wanted.tool || is.some((mark) => mark.startsWith(`${tool}:`)))
      && (!wanted.verdict || is.includes(`${tool}:${wanted.verdict}`))
      && (!wanted.operator || by.includes(`${tool}:${wanted.operator}`)));
  };
  const filters = new Map();
  for (const form of all(".filters")) {
    const list = document.getElementById(form.dataset.list);
    const items = [...list.children];
    const filter = () => {
      const value = (name) => form.elements[name]?.value ?? "";
      const words = value("text").toLowerCase().split(/\s+/).filter(Boolean);
      const [group, tool, verdict, operator] = ["group", "tool", "verdict", "operator"].map(value);
      const wanted = { words, group, tool, verdict, operator };
      const any = words.length === 0 && !(group || tool || verdict || operator);
      let shown = 0;
      for (const item of items) {
        item.hidden = !any && !fits(item, wanted);
        shown += item.hidden ? 0 : 1;
      }
      form.querySelector("[role=status]").textContent = `${shown} of ${items.length} seeds`;
    };
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("change", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    filters.set(list, () => { form.reset(); filter(); });
    filter();
  }

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

  // Says of each box that is narrower than its table that it scrolls.
  const measure = () => {
    for (const box of all(".scroll, .plot.wide")) {
      box.classList.toggle("more", box.scrollWidth > box.clientWidth + 1);
    }
    for (const box of all(".clip")) {
      box.classList.remove("more");
      box.classList.toggle("more", box.scrollHeight > box.clientHeight + 1);
    }
  };
  addEventListener("resize", measure);
  document.addEventListener("toggle", measure, true);
  document.addEventListener("change", () => setTimeout(measure));

  // Shows what a link leads to: unfolded, in the panel in view, whatever is filtered.
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let part = target; part; part = part.parentElement) {
      if (part.matches("details")) part.open = true;
      if (part.dataset?.tool) show("tool", part.dataset.tool);
      if (part.dataset?.columns) show("columns", part.dataset.columns);
      if (part.hidden) filters.get(part.parentElement)?.();
    }
    target.scrollIntoView();
    if (target.matches("details")) target.firstElementChild.focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    // The same link again changes no hash.
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) follow();
  });

  // What follows the script in the page.
  addEventListener("DOMContentLoaded", () => {
    for (const commands of all("div.commands")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.setAttribute("aria-live", "polite");
      commands.append(button);
    }
    // A line is broken between words: an option that is broken at its hyphens cannot be read.
    for (const command of all(".commands code")) {
      const words = command.textContent.split(/( +)/);
      command.replaceChildren(...words.map((word, place) => {
        if (place % 2) return word;
        const span = document.createElement("span");
        span.textContent = word;
        return span;
      }));
    }
    measure();
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

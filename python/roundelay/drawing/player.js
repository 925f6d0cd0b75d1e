// SPDX-License-Identifier: Apache-2.0
// Plays the stories in the page: left the state before a step, its messages, right the state after.
"use strict";
(() => {
  const CELL = 22, PAD = 4, APART = 18, NAMES = 90, CHIP = 24, PERIOD = 1200; // pixels; milliseconds
  const byId = (id) => document.getElementById(id);
  const stories = JSON.parse(byId("stories").textContent);
  const hint = byId("message").textContent;
  let story = stories[0], at = 0, timer = null; // at: how many steps are over

  const add = (parent, tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return parent.appendChild(element);
  };
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const wide = (label) => Math.max(CELL, label.length * 7.3 + 8);
  const letter = (n) => (n < 26 ? "" : letter(Math.floor(n / 26) - 1)) + String.fromCharCode(97 + n % 26);

  function described(m) {
    const labels = [...new Set(m.items.map((i) => story.items[i][0]))].join(", ");
    const what = m.token ? `a message without data (heard of: ${labels})` : `${labels || m.label}: ${count(m.units, story.unit)} of ${story.count}`;
    return `Rank ${m.from} to rank ${m.to}: ${what}.` + (m.combined ? " The receiver combines it with its own." : "") +
      (m.exposed ? " It is read from memory that the ranks share." : "") + ` Sent in round ${m.rounds[0]}, received in round ${m.rounds[1]}.`;
  }

  function sentence() {
    if (at === 0) return `Start: no message has been sent. ${count(story.steps, "step")} follow.`;
    const now = story.messages.filter((m) => m.step === at - 1);
    const name = story.rounds ? `Round ${story.rounds[at - 1]}` : `Step ${at - 1}`; // numbered from 0
    const listed = now.slice(0, 8).map((m) => `rank ${m.from} sends ${m.token ? "a token" : m.label} to rank ${m.to}`).join("; ");
    return `${name} (${at} of ${story.steps}): ${listed}${now.length > 8 ? `; and ${count(now.length - 8, "more message")}` : ""}.`;
  }

  // How many messages reach a rank in one step, at most.
  function together() {
    const received = new Map();
    for (const m of story.messages) received.set(`${m.to} ${m.step}`, (received.get(`${m.to} ${m.step}`) ?? 0) + 1);
    return Math.max(1, ...received.values());
  }

  const stateAt = (rank, step) => rank.states.filter((s) => s[0] <= step).pop()[1];

  function box(svg, rank, number, step, x, y, cell, side) {
    const group = add(svg, "g", { class: `state ${side}`, "data-rank": number });
    const height = rank.lines * CELL + 2 * PAD;
    add(group, "rect", { class: "box", x, y: y - height / 2, width: rank.columns * cell + 2 * PAD, height, rx: 5 });
    for (const [column, line, item, needed] of stateAt(rank, step)) {
      const [label, fill, ink] = story.items[item];
      const one = add(group, "g", { class: needed ? "held" : "gone", "data-label": label });
      const left = x + PAD + column * cell, top = y - height / 2 + PAD + line * CELL;
      add(one, "rect", { x: left + 1, y: top + 1, width: cell - 2, height: CELL - 2, rx: 3, ...(needed ? { fill } : {}) });
      add(one, "text", { x: left + cell / 2, y: top + 15, ...(needed ? { style: `fill:${ink}` } : {}) }, label);
    }
  }

  function draw(moving) {
    const now = story.messages.filter((m) => m.step === at - 1);
    const cell = Math.max(...story.items.map((i) => wide(i[0])), CELL);
    const row = Math.max(CHIP * together(), ...story.ranks.map((r) => r.lines * CELL + 2 * PAD)) + APART;
    const boxes = Math.max(...story.ranks.map((r) => r.columns)) * cell + 2 * PAD;
    const gap = 90 + Math.max(0, ...story.messages.map((m) => wide(m.label)));
    const right = NAMES + boxes + gap, width = right + boxes + 10, height = row * story.ranks.length + 10;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Ranks before and after the step" })) svg.setAttribute(name, value);
    if (moving) svg.classList.add("moving");
    const focused = document.activeElement?.closest?.(".message")?.dataset;
    const y = (r) => 5 + (r + 0.5) * row, before = Math.max(at - 1, 0);
    for (const [name, first, last] of story.borders) {
      const top = y(first) - row / 2 + 3;
      add(svg, "rect", { class: "border", "data-place": name, x: 1, y: top, width: width - 2, height: (last - first + 1) * row - 6, rx: 8 });
    }
    story.ranks.forEach((rank, r) => {
      const placed = new Set(story.places).size > 1; // then the name has two lines
      add(svg, "text", { class: "name", x: 8, y: y(r) + (placed ? -3 : 4) }, `rank ${r}`);
      if (placed) add(svg, "text", { class: "name place", x: 8, y: y(r) + 12 }, `${story.place} ${letter(story.places[r])}`);
      box(svg, rank, r, before, NAMES, y(r), cell, "before");
      if (at > 0) box(svg, rank, r, at, right, y(r), cell, "after");
    });
    const seen = {};
    for (const m of now) {
      const those = now.filter((o) => o.to === m.to);
      seen[m.to] = (seen[m.to] ?? -1) + 1;
      const y1 = y(m.to) + CHIP * (seen[m.to] - (those.length - 1) / 2), y0 = y(m.from), w = wide(m.label) + 4;
      const x0 = NAMES + story.ranks[m.from].columns * cell + 2 * PAD, x1 = right - 6 - w, bend = 0.42 * (x1 - x0);
      const group = add(svg, "g", { class: "message", tabindex: 0, role: "img", "aria-label": described(m), "data-from": m.from, "data-to": m.to });
      add(group, "path", { d: `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1 - 6} ${y1}`, class: m.exposed ? "exposed" : "" });
      add(group, "path", { class: "head", d: `M${x1} ${y1}l-9 -4.2v8.4z` });
      const looks = [...new Set(m.items.map((i) => story.items[i][1]))];
      const one = looks.length === 1;
      add(group, "rect", { class: "chip", x: x1, y: y1 - 10, width: w, height: 20, rx: 10, fill: one ? looks[0] : "#eceef1" });
      add(group, "text", { x: x1 + w / 2, y: y1 + 4.2, style: `fill:${one ? story.items[m.items[0]][2] : "#1f2733"}` }, m.label);
      for (const event of ["mouseenter", "focus"]) group.addEventListener(event, () => { byId("message").textContent = described(m); });
    }
    byId("picture").replaceChildren(svg);
    byId("message").textContent = hint; // what it described may be no longer there
    if (focused) refocus(svg, focused);
    byId("said").textContent = sentence();
    byId("scrub").max = story.steps;
    byId("scrub").value = at;
    byId("scrub").setAttribute("aria-valuetext", `${at} of ${story.steps} steps are over`);
    byId("back").setAttribute("aria-disabled", at === 0);
    byId("forward").setAttribute("aria-disabled", at === story.steps);
    byId("subtitle").textContent = story.subtitle;
    byId("legend").textContent = story.legend.join(" ");
  }

  // The focus was on a message of the step before: it goes to one of the same ranks, else to the first.
  function refocus(svg, { from, to }) {
    const next = [`[data-from="${from}"][data-to="${to}"]`, `[data-from="${from}"]`, ""].map((those) => svg.querySelector(`.message${those}`));
    (next.find((one) => one !== null) ?? byId("play")).focus();
  }

  function go(step, moving = false) {
    at = Math.min(Math.max(step, 0), story.steps);
    draw(moving);
  }
  function pause() {
    clearInterval(timer);
    timer = null;
    byId("play").textContent = "Play";
  }
  function play() {
    if (timer !== null) return pause();
    go(at === story.steps ? 1 : at + 1, true);
    byId("play").textContent = "Pause";
    timer = setInterval(() => (at === story.steps ? pause() : go(at + 1, true)), PERIOD);
  }
  const step = (by) => { pause(); go(at + by); };

  function choose(p, root) {
    const those = stories.filter((s) => s.p === p);
    story = those.find((s) => s.root === root) ?? those[0];
    const roots = byId("root");
    roots.replaceChildren(...those.map((s) => new Option(s.root ?? "none", s.root ?? "")));
    roots.value = story.root ?? "";
    roots.disabled = those.length < 2;
    byId("p").value = story.p;
    pause();
    go(0);
  }
  const numbers = [...new Set(stories.map((s) => s.p))].sort((a, b) => a - b);
  byId("p").replaceChildren(...numbers.map((p) => new Option(p, p)));
  byId("p").addEventListener("change", () => choose(Number(byId("p").value), story.root));
  byId("root").addEventListener("change", () => choose(story.p, Number(byId("root").value)));
  byId("play").addEventListener("click", play);
  byId("back").addEventListener("click", () => step(-1));
  byId("forward").addEventListener("click", () => step(1));
  byId("scrub").addEventListener("input", () => { pause(); go(Number(byId("scrub").value)); });
  choose(story.p, story.root);
})();

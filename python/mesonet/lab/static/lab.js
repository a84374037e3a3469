"use strict";
const REFUSED = "programs of visitors are not run in this laboratory, which was started without --trust";
(async () => {
  const options = await (await fetch("options.json")).json();
  const visitor = Math.random().toString(36).slice(2);
  const sides = {};
  const program = document.getElementById("program");
  // The program that was run last by the button; no other is ever sent.
  let accepted = null;
  let turnedAt = performance.now();

  function turned(side, key, value) {
    turnedAt = performance.now();
    state[side.name][key] = value;
    show();
    writeAddress(options);
    ask(side.name);
  }

  function show() {
    const places = document.getElementById("sides");
    for (const name of ["a", "b"]) {
      if (!state[name]) {
        sides[name]?.root.remove();
        delete sides[name];
        continue;
      }
      if (!sides[name]) {
        sides[name] = new Side(name, options, turned);
        places.append(sides[name].root);
      }
      sides[name].show(state[name]);
    }
    places.classList.toggle("two", state.b !== null);
    document.getElementById("beside").setAttribute("aria-pressed", state.b !== null);
    const settings = [state.a, state.b].filter(Boolean);
    document.getElementById("editor").hidden = !settings.some((it) => [it.first, it.second].includes("own"));
    for (const link of document.querySelectorAll("#lessons a")) {
      if (link.hash === `#lesson=${state.lesson?.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  // Runs are asked for one after the other; of what is turned meanwhile, the last counts.
  const wanted = new Set();
  let working = false;
  async function ask(...names) {
    for (const name of names) wanted.add(name);
    if (working) return;
    working = true;
    for (const name of wanted) {
      wanted.delete(name);
      if (sides[name]) await simulate(sides[name]);
      check();
    }
    working = false;
    document.documentElement.dataset.ready = "yes";
  }
  async function simulate(side) {
    const own = [side.setting.first, side.setting.second].includes("own");
    if (own && accepted === null) return side.refuse([{ loc: "", message: options.own ? "The program in the editor was not run yet." : REFUSED }]);
    const request = own ? { method: "POST", body: accepted } : {};
    let response, answer;
    try {
      response = await fetch(`run?${new URLSearchParams(side.setting)}`, { ...request, headers: { "X-Visitor": visitor } });
      answer = await response.json();
    } catch {
      return side.refuse([{ loc: "", message: "The laboratory does not answer; was its command ended?" }]);
    }
    if (response.status === 429) {
      await new Promise((then) => setTimeout(then, 300));
      wanted.add(side.name);
      return;
    }
    if (own) judge(answer.problems ?? [], (answer.run ?? answer).printed);
    side.refuse(answer.problems ?? []);
    if (answer.problems) return;
    side.take(answer);
    await draw(side);
    const took = Math.round(performance.now() - turnedAt);
    const packets = answer.run.packets.toLocaleString("en");
    side.find(".status").textContent = `${side.setting.duration} s with ${packets} packets, simulated and drawn in ${took} ms`;
    document.documentElement.dataset.runs = Number(document.documentElement.dataset.runs ?? 0) + 1;
  }
  // The other side only where the axes that it shares have changed.
  let axes = "";
  async function draw(changed) {
    const shown = Object.values(sides).filter((side) => side.run);
    const all = shown.map((side) => side.tops());
    const tops = Object.fromEntries(Object.keys(all[0]).map((key) => [key, Math.max(...all.map((it) => it[key]))]));
    const before = axes;
    axes = JSON.stringify(tops);
    await Promise.all(shown.filter((side) => side === changed || axes !== before).map((side) => side.draw(tops)));
  }
  function judge(problems, text = "") {
    const printed = document.getElementById("printed");
    printed.hidden = !text;
    printed.textContent = text;
    const verdict = document.getElementById("verdict");
    verdict.classList.toggle("loud", problems.length > 0);
    verdict.textContent = problems.length ? problems.map((it) => [it.loc, it.message].filter(Boolean).join(": ")).join("; ") : "It ran.";
  }

  // Whether the claims of the lesson hold for what is shown now.
  function check() {
    for (const [place, row] of [...document.querySelectorAll(".claims li")].entries()) {
      const claim = state.lesson.claims[place];
      const [a, b] = ["a", "b"].map((name) => sides[name]?.run?.numbers[claim.number]);
      const value = { a, b, "b/a": b / a }[claim.side];
      const measured = Number.isFinite(value);
      const holds = measured && (claim.above === undefined || value > claim.above) && (claim.below === undefined || value < claim.below);
      row.className = measured && !holds ? "no" : "yes";
      row.firstChild.textContent = measured ? (holds ? "Holds: " : "Not here: ") : "";
    }
  }
  function showLesson() {
    const { lesson } = state;
    const place = document.getElementById("lesson");
    place.replaceChildren();
    if (!lesson) return;
    const claims = element("ul", "", { class: "claims" });
    for (const claim of lesson.claims) {
      const row = element("li", claim.text);
      row.prepend(element("b"));
      claims.append(row);
    }
    const task = element("p", lesson.task);
    task.prepend(element("b", "Try: "));
    place.append(element("h2", lesson.title), element("p", lesson.text), claims, task);
  }

  function begin() {
    readAddress(options);
    turnedAt = performance.now();
    for (const side of Object.values(sides)) delete side.run;
    showLesson();
    show();
    ask(...Object.keys(sides));
  }
  document.getElementById("lessons").append(...options.lessons.map((lesson) => {
    const entry = element("li");
    entry.append(element("a", lesson.title, { href: `#lesson=${lesson.id}` }));
    return entry;
  }));
  document.getElementById("beside").addEventListener("click", () => {
    state.b = state.b ? null : { ...state.a };
    turnedAt = performance.now();
    show();
    writeAddress(options);
    ask(state.b ? "b" : "a");
  });
  program.value = options.lessons.find((it) => it.program)?.program.trimStart() ?? "";
  program.disabled = document.getElementById("execute").disabled = !options.own;
  if (!options.own) judge([{ message: REFUSED }]);
  document.getElementById("execute").addEventListener("click", () => {
    accepted = program.value;
    turnedAt = performance.now();
    document.getElementById("verdict").textContent = "Running ...";
    ask(...Object.keys(sides));
  });
  addEventListener("hashchange", begin);
  begin();
})();

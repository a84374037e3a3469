"use strict";
// The state is in the address: a lesson, what differs from it in side A, and with "b." in side B.
const state = { lesson: null, a: {}, b: null };

// Keys with values as text, which is what addresses hold.
function plain(setting) {
  return Object.fromEntries(Object.entries(setting ?? {}).map(([key, value]) => [key, String(value)]));
}
function bases(options, lesson) {
  const defaults = plain(Object.fromEntries(Object.entries(options.knobs).map(([key, it]) => [key, it.default])));
  return [{ ...defaults, ...plain(lesson?.a) }, lesson?.b ? { ...defaults, ...plain(lesson.b) } : null];
}
function readAddress(options) {
  const pairs = [...new URLSearchParams(location.hash.slice(1))];
  const named = pairs.find(([key]) => key === "lesson")?.[1];
  state.lesson = options.lessons.find((it) => it.id === named) ?? null;
  [state.a, state.b] = bases(options, state.lesson);
  for (const [key, value] of pairs) if (key in options.knobs) state.a[key] = value;
  for (const [key, value] of pairs) {
    if (key === "b") state.b = value === "0" ? null : (state.b ?? { ...state.a });
    if (!key.startsWith("b.") || !(key.slice(2) in options.knobs)) continue;
    state.b ??= { ...state.a };
    state.b[key.slice(2)] = value;
  }
}
function writeAddress(options) {
  const [baseA, baseB] = bases(options, state.lesson);
  const pairs = new URLSearchParams();
  const differences = (setting, base, prefix) => {
    for (const key of Object.keys(setting)) if (setting[key] !== base[key]) pairs.set(prefix + key, setting[key]);
  };
  if (state.lesson) pairs.set("lesson", state.lesson.id);
  differences(state.a, baseA, "");
  if (state.b && !baseB) pairs.set("b", "1");
  if (!state.b && baseB) pairs.set("b", "0");
  if (state.b) differences(state.b, baseB ?? state.a, "b.");
  history.replaceState(null, "", "#" + pairs);
}

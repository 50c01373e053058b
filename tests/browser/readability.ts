/**
 * Measures whether a page can be read.
 *
 * @module
 */

/**
 * An expression for the browser: texts with a contrast under 4.5 to 1, elements wider than the
 * window, and targets too small for a finger.
 */
export const READABILITY = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((c) => c / 255)
      .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if ((color[3] ?? 1) > 0) return color;
    }
    return [255, 255, 255];
  };
  const contrast = (element) => {
    const [a, b] = [channels(getComputedStyle(element).color), paper(element)].map(luminance);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const describe = (element) => element.tagName + ": " + element.textContent.trim().slice(0, 40);
  const all = [...document.body.querySelectorAll("*")];
  return {
    dim: all.filter((e) => hasText(e) && contrast(e) < 4.5).map(describe),
    wide: all.filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5).map(describe),
    small: all.filter((e) => e.matches("button, label, a, input:not([type=hidden], [hidden], [type=radio])") && e.offsetHeight < 44).map(describe),
  };
})()`;

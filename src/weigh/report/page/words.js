// Words of texts, and the words that texts have in common.
const SINGLE = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const WORD = `(?:(?![${SINGLE}])[\\p{L}\\p{N}\\p{M}_])+`;
// Numbers with points and commas, characters of scripts without spaces, words, other characters.
const TOKEN = new RegExp(
  `\\p{N}+(?:[.,]\\p{N}+)+|[${SINGLE}]\\p{M}*|${WORD}(?:['’-]${WORD})*|\\S`,
  "gu",
);
const IS_WORD = /[\p{L}\p{N}]/u;
const MOST_CELLS = 400 * 400;

const wordsOf = (text) => text.match(TOKEN) ?? [];
const lengthOf = (text) => wordsOf(text).filter((word) => IS_WORD.test(word)).length;

// Return flags for the words of x and of y that belong to a longest common subsequence.
function common(x, y) {
  const [inX, inY] = [new Uint8Array(x.length), new Uint8Array(y.length)];
  let start = 0;
  let [endX, endY] = [x.length, y.length];
  while (start < endX && start < endY && x[start] === y[start]) {
    inX[start] = inY[start] = 1;
    start += 1;
  }
  while (endX > start && endY > start && x[endX - 1] === y[endY - 1]) {
    endX -= 1;
    endY -= 1;
    inX[endX] = inY[endY] = 1;
  }
  const [rows, columns] = [endX - start, endY - start];
  if (rows * columns > MOST_CELLS) {
    matchInAnyOrder(x, y, inX, inY);
    return [inX, inY];
  }
  const wide = columns + 1;
  const longest = new Uint16Array((rows + 1) * wide);
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      const at = i * wide + j;
      longest[at] =
        x[start + i] === y[start + j]
          ? longest[at + wide + 1] + 1
          : Math.max(longest[at + wide], longest[at + 1]);
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    const at = i * wide + j;
    if (x[start + i] === y[start + j]) {
      inX[start + i] = inY[start + j] = 1;
      i += 1;
      j += 1;
    } else if (longest[at + wide] >= longest[at + 1]) i += 1;
    else j += 1;
  }
  return [inX, inY];
}

// Return flags for the words that occur in any other text, each at most as often as in the text with
// most of it. Words in the order of the closest text count first, then those in the order of the
// other texts, then words in any place.
function foundInAny(words, others) {
  const found = new Uint8Array(words.length);
  const spare = new Map();
  for (const other of others) {
    const counts = new Map();
    for (const word of other) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) spare.set(word, Math.max(count, spare.get(word) ?? 0));
  }
  const size = (inOrder) => inOrder.reduce((sum, flag) => sum + flag, 0);
  const orders = others.map((other) => common(words, other)[0]).sort((x, y) => size(y) - size(x));
  for (const inOrder of [...orders, found.slice().fill(1)]) {
    words.forEach((word, at) => {
      if (found[at] || !inOrder[at] || !(spare.get(word) > 0)) return;
      found[at] = 1;
      spare.set(word, spare.get(word) - 1);
    });
  }
  return found;
}

// Flag words that both texts contain, in any order, for texts too long to align.
function matchInAnyOrder(x, y, inX, inY) {
  const places = new Map();
  y.forEach((word, at) => places.get(word)?.push(at) ?? places.set(word, [at]));
  x.forEach((word, at) => {
    const place = places.get(word)?.shift();
    inX[at] = place === undefined ? 0 : 1;
  });
  inY.fill(1);
  for (const rest of places.values()) for (const at of rest) inY[at] = 0;
}

// Return a pattern that finds the words of a query with any white space around punctuation.
function patternOf(query) {
  const words = wordsOf(query.toLowerCase());
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  let pattern = "";
  words.forEach((word, at) => {
    if (at) pattern += IS_WORD.test(words[at - 1]) && IS_WORD.test(word) ? "\\s+" : "\\s*";
    pattern += escaped[at];
  });
  return new RegExp(pattern, "g");
}


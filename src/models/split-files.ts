// Names of GGUF files: split models whose parts are numbered, files that are no models, quantisations, short names.
// Pure: looks at names only.

const PART = /-(\d{5})-of-(\d{5})\.gguf$/i;

/** Number and count of a part, 1-based; undefined for a whole file. */
export function partOf(name: string): { readonly part: number; readonly count: number } | undefined {
  const match = PART.exec(name);
  return match === null ? undefined : { part: Number(match[1]), count: Number(match[2]) };
}

/** Every part of a model given its first, in order; the path alone when it is whole. */
export function partsOf(first: string, count: number): readonly string[] {
  if (count <= 1 || partOf(first) === undefined) return [first];
  const total = String(count).padStart(5, '0');
  return Array.from({ length: count }, (_, i) =>
    first.replace(PART, `-${String(i + 1).padStart(5, '0')}-of-${total}.gguf`),
  );
}

/** Whether a name can be that of a model: a GGUF, the first part if split, no projector and no training by-product. */
export function isModelName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!/\.gguf$/i.test(name) || (partOf(name)?.part ?? 1) !== 1) return false;
  return !/mmproj|imatrix|(^|[-_.])(draft|vocab|lora|adapter)([-_.]|$)/i.test(name);
}

/** A short stable name: the file's, without folder, part number and ending. */
export function shortName(path: string): string {
  return path
    .slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
    .replace(PART, '')
    .replace(/\.gguf$/i, '');
}

const QUANT =
  /(?:^|[-_.])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|BF16|F16|F32|MXFP4(?:_MOE)?|NVFP4))(?=[-.]|$)/gi;

/** The quantisation a file name states, upper case: `model-q4_k_m.gguf` -> `Q4_K_M`. The last one stated counts. */
export function quantOf(path: string): string | undefined {
  const found = [...shortName(path).matchAll(QUANT)].at(-1)?.[1];
  return found?.toUpperCase();
}

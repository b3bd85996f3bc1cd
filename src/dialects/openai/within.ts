// How long a client is left without a sign of life before its stream is opened.

/** Whether it settles within so many milliseconds; 0 = however long it takes. */
export async function isWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  if (limitMs === 0) return true;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

// Requests to the server. Addresses are relative, because a proxy may add a prefix.
// @ts-check

// The token is in the fragment of the address, which is sent neither to servers nor to logs. The
// token is stored for this tab, so that it survives a reload. A cookie would also be sent to
// servers on other ports.
const given = new URLSearchParams(location.hash.slice(1)).get('token');
if (given) {
  sessionStorage.setItem('token', given);
  history.replaceState(null, '', location.pathname + location.search);
}

export class Refused extends Error {
  /** @param {number} status @param {string} text @param {any} answer */
  constructor(status, text, answer) {
    super(text);
    this.status = status;
    this.answer = answer;
  }
}

/**
 * @param {string} path
 * @param {string} [method]
 * @param {any} [body]
 * @param {AbortSignal} [signal]
 */
const ask = async (path, method = 'GET', body = undefined, signal = undefined) => {
  const headers = {'X-Osteon-Token': sessionStorage.getItem('token') || ''};
  const answer = await fetch(`api/${path}`, {
    method,
    headers,
    signal,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.ok) return answer;
  const text = await answer.text();
  let reply = null;
  try {
    reply = JSON.parse(text);
  } catch {
    /* a sentence */
  }
  throw new Refused(
    answer.status,
    reply?.error || (reply ? `the server answered with status ${answer.status}` : text),
    reply,
  );
};

/** @param {string} path @param {string} [method] @param {any} [body] */
export const json = async (path, method, body) => (await ask(path, method, body)).json();
/** @param {string} path @param {any} body */
export const post = (path, body = {}) => json(path, 'POST', body);

/**
 * Returns the bytes and the headers that describe them.
 * @param {string} path
 * @param {any} [body] sent by POST
 * @param {AbortSignal} [signal]
 */
export const bytes = async (path, body, signal) => {
  const answer = await ask(path, body === undefined ? 'GET' : 'POST', body, signal);
  return {data: await answer.arrayBuffer(), headers: answer.headers};
};

/**
 * Calls `take` for each event of an endless stream; reconnects after the server was unavailable.
 * @param {(event: any) => void} take
 * @param {(isThere: boolean) => void} report
 */
export const listen = async (take, report) => {
  for (;;) {
    try {
      const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (
        (await ask('events')).body
      )
        .pipeThrough(new TextDecoderStream())
        .getReader();
      report(true);
      for (let rest = ''; ;) {
        const {value, done} = await reader.read();
        if (done) break;
        const lines = (rest + value).split('\n');
        rest = lines.pop() || '';
        for (const line of lines) take(JSON.parse(line));
      }
    } catch (e) {
      if (e instanceof Refused && e.status === 403) {
        report(false);
        return;
      }
    }
    report(false);
    await new Promise((done) => setTimeout(done, 1000));
  }
};

// The key of the player. It stays in this browser, in IndexedDB.
function open() {
  return new Promise((done, fail) => {
    const r = indexedDB.open("torc", 1);
    r.onupgradeneeded = () => r.result.createObjectStore("keys");
    r.onsuccess = () => done(r.result);
    r.onerror = () => fail(r.error);
  });
}

function request(store, make) {
  return new Promise((done, fail) => {
    const r = make(store);
    r.onsuccess = () => done(r.result);
    r.onerror = () => fail(r.error);
  });
}

// identity returns the kept key, or keeps the one that make returns. Without storage the key is new each time.
export async function identity(make) {
  try {
    const db = await open();
    const kept = await request(db.transaction("keys").objectStore("keys"), (s) => s.get("identity"));
    if (kept) return kept;
    const made = make();
    await request(db.transaction("keys", "readwrite").objectStore("keys"), (s) => s.put(made, "identity"));
    return made;
  } catch {
    return make();
  }
}

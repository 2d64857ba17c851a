package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The state of the plugin. Each change is made on a copy, and the copy is saved before it becomes
 * visible. A failed save therefore leaves the state unchanged, and readers never wait.
 */
final class Knowledge {

  private final Storage storage;
  private final ReentrantLock changing = new ReentrantLock();
  private volatile State state = State.empty();
  private long reserved;

  Knowledge(Storage storage) {
    this.storage = storage;
  }

  /** A change of the state. If the change throws a refusal, the state remains unchanged. */
  interface Change {
    void apply(State draft) throws Refusal;
  }

  interface Effect {
    void run() throws IOException, Refusal;
  }

  /** Returns the current state. Callers must not modify it. */
  State now() {
    return state;
  }

  void open() {
    changing.lock();
    try {
      state = storage.load();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The plugin cannot read its saved state. "
              + SafeText.escape(String.valueOf(e.getMessage())),
          e);
    } finally {
      changing.unlock();
    }
  }

  /** Changes the state, and saves the new state. */
  void change(Change change) throws Refusal {
    changing.lock();
    try {
      State draft = state.copy();
      change.apply(draft);
      effect("Saving the state of the plugin", () -> storage.save(draft));
      state = draft;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Creates an object in the storage with {@code make}, and adds it to the state with {@code
   * change}. If either step fails, {@code unmake} removes the object from the storage.
   *
   * @param bytes the bytes to reserve during the creation, so that no other call can use them
   */
  void make(PluginShape shape, long bytes, String doing, Effect make, Change change, Effect unmake)
      throws Refusal {
    reserve(shape, bytes);
    boolean known = false;
    try {
      effect(doing, make);
      changing.lock();
      try {
        change(change);
        // The state now counts these bytes as used. The reservation ends under the same lock, so
        // that the bytes are never counted twice.
        reserved -= bytes;
        known = true;
      } finally {
        changing.unlock();
      }
    } finally {
      if (!known) {
        giveBack(bytes, unmake);
      }
    }
  }

  /** Runs an operation of the storage, and throws a refusal if the operation fails. */
  void effect(String doing, Effect effect) throws Refusal {
    try {
      effect.run();
    } catch (IOException | RuntimeException e) {
      throw storage.refusal(doing, e);
    }
  }

  /** Reserves bytes for the creation of an object, or refuses with RESOURCE_EXHAUSTED. */
  private void reserve(PluginShape shape, long bytes) throws Refusal {
    changing.lock();
    try {
      long free = free(shape);
      if (bytes > free) {
        throw Refusal.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "%s bytes were requested, but %s are left. Delete something first.",
            bytes,
            free);
      }
      reserved += bytes;
    } finally {
      changing.unlock();
    }
  }

  private void giveBack(long bytes, Effect unmake) {
    try {
      unmake.run();
    } catch (IOException | Refusal | RuntimeException e) {
      // This failure is ignored, because the original refusal is more informative. The storage
      // reports unknown files when it is opened the next time.
    }
    changing.lock();
    try {
      reserved -= bytes;
    } finally {
      changing.unlock();
    }
  }

  long free(PluginShape shape) {
    changing.lock();
    try {
      long used = reserved;
      for (State.StoredVolume volume : state.volumes().values()) {
        used += volume.volume().getCapacityBytes();
      }
      for (State.StoredSnapshot snapshot : state.snapshots().values()) {
        used += snapshot.snapshot().getSizeBytes();
      }
      return Math.max(0, shape.totalBytes() - used);
    } finally {
      changing.unlock();
    }
  }
}

package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The knowledge of the plugin. Each change is made on a copy, saved, and only then known, so that a
 * failure to save leaves everything as it was, and readers never wait.
 */
final class Knowledge {

  private final Storage storage;
  private final ReentrantLock changing = new ReentrantLock();
  private volatile State state = State.empty();
  private long reserved;

  Knowledge(Storage storage) {
    this.storage = storage;
  }

  /** A change; may refuse, and then nothing changes. */
  interface Change {
    void apply(State draft) throws Refusal;
  }

  interface Effect {
    void run() throws IOException, Refusal;
  }

  /** Returns the present state. Not to be changed. */
  State now() {
    return state;
  }

  void open() {
    changing.lock();
    try {
      state = storage.load();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The plugin cannot read what it saved. "
              + SafeText.escape(String.valueOf(e.getMessage())),
          e);
    } finally {
      changing.unlock();
    }
  }

  /** Changes what is known, and keeps it. */
  void change(Change change) throws Refusal {
    changing.lock();
    try {
      State draft = state.copy();
      change.apply(draft);
      effect("Saving what the plugin knows", () -> storage.save(draft));
      state = draft;
    } finally {
      changing.unlock();
    }
  }

  /**
   * Has the storage make something, and changes what is known; if one of them fails, has it unmade.
   *
   * @param bytes set aside meanwhile, so that no other can take them; 0 for nothing
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
        // In the same moment: the bytes count as used from now on, and never twice.
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

  /** Has the storage do something, and refuses where that fails. */
  void effect(String doing, Effect effect) throws Refusal {
    try {
      effect.run();
    } catch (IOException | RuntimeException e) {
      throw storage.refusal(doing, e);
    }
  }

  /** Sets bytes aside while something is made, or refuses with RESOURCE_EXHAUSTED. */
  private void reserve(PluginShape shape, long bytes) throws Refusal {
    changing.lock();
    try {
      long free = free(shape);
      if (bytes > free) {
        throw Refusal.of(
            StatusCode.RESOURCE_EXHAUSTED,
            "%s bytes were asked for, and %s are left. Delete something first.",
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
      // The refusal says more; the storage tells of unknown things when it is opened next.
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

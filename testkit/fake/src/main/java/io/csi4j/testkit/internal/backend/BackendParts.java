package io.csi4j.testkit.internal.backend;

import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.model.NodeId;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** The objects that the services of a backend share. */
record BackendParts(
    List<NodeId> nodes,
    Storage storage,
    PluginClock clock,
    Duration snapshotsReadyAfter,
    Knowledge knowledge,
    Flights flights,
    ToldHealth health,
    NewIds ids) {

  void change(Knowledge.Change change) throws Refusal {
    knowledge.change(change);
  }

  State now() {
    return knowledge.now();
  }

  void effect(String doing, Knowledge.Effect effect) throws Refusal {
    knowledge.effect(doing, effect);
  }

  /** Returns the volume with this id, or refuses with NOT_FOUND. */
  StoredVolume volume(String field, String id) throws Refusal {
    StoredVolume volume = now().volumes().get(id);
    if (volume == null) {
      throw Refusal.notFound(field, id);
    }
    return volume;
  }

  /** Returns the snapshot with this id, or refuses with NOT_FOUND. */
  Snapshot snapshot(String field, String id) throws Refusal {
    StoredSnapshot snapshot = now().snapshots().get(id);
    if (snapshot == null) {
      throw Refusal.notFound(field, id);
    }
    return snapshot.snapshot();
  }

  /** Creates ids that the plugin has not used before. */
  static final class NewIds {

    private final AtomicLong last = new AtomicLong();
    private final String mark;

    /**
     * {@code mark} becomes part of each id, and distinguishes new ids from those that an earlier
     * process of the plugin created.
     */
    NewIds(String mark) {
      this.mark = mark;
    }

    /** Returns a new id that begins with {@code kind} and is not among {@code taken}. */
    String next(String kind, Set<String> taken) {
      String id;
      do {
        id = kind + "-" + mark + last.incrementAndGet();
      } while (taken.contains(id));
      return id;
    }
  }
}

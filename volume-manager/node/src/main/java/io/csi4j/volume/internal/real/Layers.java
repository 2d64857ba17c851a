package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.MountRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Brings mounts into the order in which they lie on each other. */
final class Layers {

  private Layers() {}

  /** Returns the mounts, each after the one that it is on, otherwise in the order given. */
  static List<MountRecord> inOrder(List<MountRecord> records) {
    Map<Integer, MountRecord> waiting = new HashMap<>();
    records.forEach(record -> waiting.put(record.id(), record));
    List<MountRecord> ordered = new ArrayList<>(records.size());
    Deque<MountRecord> onTheWay = new ArrayDeque<>();
    for (MountRecord record : records) {
      @Nullable MountRecord next = waiting.remove(record.id());
      while (next != null) {
        onTheWay.push(next);
        next = waiting.remove(next.parentId());
      }
      while (!onTheWay.isEmpty()) {
        ordered.add(onTheWay.pop());
      }
    }
    return ordered;
  }
}

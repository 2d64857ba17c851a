package io.csi4j.testkit.internal.backend;

import io.csi4j.client.model.StatusCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** The things that are being worked on, so that a second call for the same thing is refused. */
final class Flights {

  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Hold> holds = new HashSet<>();

  final class Held implements AutoCloseable {
    private final List<Hold> mine;

    private Held(List<Hold> mine) {
      this.mine = mine;
    }

    @Override
    public void close() {
      lock.lock();
      try {
        mine.forEach(holds::remove);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Compared by identity, so that each hold is released by its own call. */
  private static final class Hold {
    private final Thing thing;

    Hold(Thing thing) {
      this.thing = thing;
    }
  }

  /**
   * Something that a call works on. Its place is a node, or empty for the controller: all nodes.
   */
  record Thing(String kind, String id, String place, boolean shared) {

    static Thing volume(String id) {
      return new Thing("volume", id, "", false);
    }

    static Thing volumeOn(String id, String node) {
      return new Thing("volume", id, node, false);
    }

    static Thing name(String kind, String name) {
      return new Thing(kind, name, "", false);
    }

    static Thing snapshot(String id) {
      return new Thing("snapshot", id, "", false);
    }

    /** A source that is only read. */
    Thing asSource() {
      return new Thing(kind, id, place, true);
    }

    private boolean clashes(Thing other) {
      return kind.equals(other.kind)
          && id.equals(other.id)
          && !(shared && other.shared)
          && (place.equals(other.place) || place.isEmpty() || other.place.isEmpty());
    }
  }

  /** Holds all of them, or refuses with ABORTED if another call holds one. */
  Held take(List<Thing> things) throws Refusal {
    lock.lock();
    try {
      for (Thing thing : things) {
        if (holds.stream().anyMatch(hold -> hold.thing.clashes(thing))) {
          throw Refusal.of(
              StatusCode.ABORTED,
              "Another call for the "
                  + thing.kind()
                  + " %s is pending. Wait for it, then call again.",
              thing.id());
        }
      }
      List<Hold> mine = new ArrayList<>();
      things.forEach(thing -> mine.add(new Hold(thing)));
      holds.addAll(mine);
      return new Held(mine);
    } finally {
      lock.unlock();
    }
  }

  Held take(Thing... things) throws Refusal {
    return take(List.of(things));
  }

  /** Whether something is being copied from at the moment. */
  boolean isSource(Thing thing) {
    lock.lock();
    try {
      return holds.stream()
          .map(hold -> hold.thing)
          .anyMatch(
              held ->
                  held.shared()
                      && held.kind().equals(thing.kind())
                      && held.id().equals(thing.id()));
    } finally {
      lock.unlock();
    }
  }
}

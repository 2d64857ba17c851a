package io.csi4j.mount.internal.watch;

import io.csi4j.mount.model.MountEvent;
import io.csi4j.mount.model.MountIdentity;
import io.csi4j.mount.model.MountRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The mounts that the listener knows of, and what it has to be told so that it knows of others.
 *
 * <p>What it is given need not be new: a mount that is known already is not told again, and neither
 * is the end of one that never was.
 */
final class KnownMounts {

  private final Map<MountIdentity, MountRecord> known = new LinkedHashMap<>();

  /** Forgets everything: the listener is told of these as a whole. */
  void begin(List<MountRecord> mounts) {
    known.clear();
    mounts.forEach(mount -> known.put(mount.ref().identity(), mount));
  }

  /** A mount is there. */
  Optional<MountEvent> present(MountRecord now, OptionalLong actor) {
    MountRecord before = known.put(now.ref().identity(), now);
    if (before == null) {
      return Optional.of(new MountEvent.Attached(now, actor));
    }
    return isChanged(before, now)
        ? Optional.of(new MountEvent.Changed(before, now))
        : Optional.empty();
  }

  /** A mount is not there any more. */
  Optional<MountEvent> gone(MountIdentity identity, OptionalLong actor) {
    MountRecord last = known.remove(identity);
    return last == null ? Optional.empty() : Optional.of(new MountEvent.Detached(last, actor));
  }

  /** These are there; whether others are is not said. */
  List<MountEvent> changes(List<MountRecord> mounts) {
    List<MountEvent> events = new ArrayList<>();
    for (MountRecord now : mounts) {
      if (known.containsKey(now.ref().identity())) {
        present(now, OptionalLong.empty()).ifPresent(events::add);
      }
    }
    return events;
  }

  /** These are there, and no others: those that left, in reverse, then those that came. */
  List<MountEvent> differences(List<MountRecord> mounts) {
    Map<MountIdentity, MountRecord> left = new LinkedHashMap<>(known);
    mounts.forEach(mount -> left.remove(mount.ref().identity()));
    List<MountIdentity> identities = new ArrayList<>(left.keySet());
    List<MountEvent> events = new ArrayList<>();
    for (int i = identities.size() - 1; i >= 0; i--) {
      gone(identities.get(i), OptionalLong.empty()).ifPresent(events::add);
    }
    for (MountRecord now : mounts) {
      present(now, OptionalLong.empty()).ifPresent(events::add);
    }
    return events;
  }

  private static boolean isChanged(MountRecord before, MountRecord now) {
    return !before.path().equals(now.path())
        || !before.flags().equals(now.flags())
        || !before.propagation().equals(now.propagation());
  }
}

package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.StrayUse;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.lifecycle.Event;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.lifecycle.Step;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Strays;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Performs the steps that end at once: memory, directories, a look at the mount table. */
final class Steps {

  private final EngineParts parts;
  private final DevicesInUse devices;
  private final HostDirectories host;

  /** The plugins of which it was told that their volumes are on a disk of the host. */
  private final Set<PluginId> onHostDisk = ConcurrentHashMap.newKeySet();

  /**
   * Those of an engine.
   *
   * @param volumes those on record
   */
  Steps(EngineParts parts, Supplier<List<VolumeRecord>> volumes) {
    this.parts = parts;
    devices = new DevicesInUse(parts.kernel(), parts.layout(), volumes);
    host = new HostDirectories(parts.kernel(), parts.layout(), volumes);
  }

  /** Work on memory. */
  private interface Writing {
    @SuppressWarnings("UnusedReturnValue")
    Object run();
  }

  /** Work on directories. */
  private interface Arrangement {
    void run() throws PathProblem;
  }

  /** Remembers a volume. */
  Event.Saved save(VolumeRecord record, Durability durability) {
    return saved(
        () ->
            parts
                .state()
                .put(
                    parts.layout().key(record.identity()), RecordCodec.encode(record), durability));
  }

  /** Forgets a volume that never was. */
  Event.Saved forget(VolumeIdentity identity) {
    return saved(() -> parts.state().remove(parts.layout().key(identity)));
  }

  /** Forgets a volume that was, and remembers that. */
  Event.Saved bury(Tombstone tombstone) {
    StateKey key = parts.layout().key(tombstone.identity());
    return saved(() -> parts.state().bury(key, RecordCodec.encode(tombstone)));
  }

  /** Makes the directories of a volume, unless it is mounted there: then they are there. */
  Event.Arranged prepareVolume(VolumeIdentity identity, Consumer<Finding> findings) {
    return arranged(
        () -> {
          if (isFree(parts.layout().staging(identity))) {
            parts.directories().prepareVolume(identity).forEach(findings);
          }
        });
  }

  /** Makes the directory above a target, unless it is mounted there: then it is there. */
  Event.Arranged prepareUse(VolumeIdentity identity, UsageKey usage, Consumer<Finding> findings) {
    return arranged(
        () -> {
          if (isFree(parts.layout().target(identity, usage))) {
            parts.directories().prepareUse(identity, usage).forEach(findings);
          }
        });
  }

  /** Removes what is left of a target, unless something is mounted there. */
  Event.Arranged removeUse(VolumeIdentity identity, UsageKey usage) {
    if (!isFree(parts.layout().target(identity, usage))) {
      return new Event.Arranged(Optional.empty(), true);
    }
    return arranged(
        () -> {
          Optional<String> stray = StrayUse.directory(usage);
          if (stray.isPresent()) {
            parts.directories().removeUse(identity, stray.get());
          } else {
            parts.directories().removeUse(identity, usage);
          }
        });
  }

  /** Removes the directories of a volume. */
  Event.Arranged removeVolume(VolumeIdentity identity) {
    return arranged(
        () -> {
          if (parts.kernel().beneath(parts.layout().volume(identity)).isEmpty()) {
            parts.directories().removeVolume(identity);
          }
        });
  }

  /**
   * Looks for uses that are mounted and not expected. Where there is no directory of one, nothing
   * is mounted for it.
   */
  Event.UsesSeen lookAtUses(VolumeRecord record) {
    VolumeIdentity identity = record.identity();
    VolumeLayout.Home home = parts.layout().home(identity);
    List<Sighting> mounted = new ArrayList<>();
    try {
      for (String use : parts.directories().uses(identity)) {
        mounted.addAll(parts.kernel().at(home.target(StrayUse.of(identity, use))));
      }
    } catch (PathProblem unreadable) {
      mounted.addAll(parts.kernel().beneath(home.uses()));
    }
    return new Event.UsesSeen(Strays.come(home, record, mounted));
  }

  /** Takes away what is mounted, without the plugin. */
  Event.Forced force(VolumeIdentity identity, Step.Force force) {
    MountPath path =
        force
            .usage()
            .map(use -> parts.layout().target(identity, use))
            .orElseGet(() -> parts.layout().staging(identity));
    return new Event.Forced(
        force.dead().isPresent()
            ? parts.kernel().unmountDead(path, force.dead().get())
            : parts.kernel().unmount(path));
  }

  /** Why a plugin must not be sent a path to release: it is not the one that was made. */
  Optional<Event.Called> refusal(VolumeIdentity identity, Step.Call call) {
    boolean isRelease = call.verb() == Verb.UNPUBLISH || call.verb() == Verb.UNSTAGE;
    MountPath path =
        call.usage()
            .map(usage -> parts.layout().target(identity, usage))
            .orElseGet(() -> parts.layout().staging(identity));
    // What is mounted is no link, and is not touched.
    if (!isRelease || !isFree(path)) {
      return Optional.empty();
    }
    try {
      parts.directories().refuseLinks(identity, call.usage());
      return Optional.empty();
    } catch (PathProblem problem) {
      boolean isOther =
          problem.kind() == PathProblem.Kind.SYMLINK
              || problem.kind() == PathProblem.Kind.IN_THE_WAY;
      return isOther ? Optional.of(new Event.Withheld(problem)) : Optional.empty();
    }
  }

  /** Looks at what is mounted. */
  Event.Looked look(VolumeIdentity identity, Step.Look look, boolean isBlock) {
    List<Sighting> atStaging = parts.kernel().at(parts.layout().staging(identity));
    if (look.usage().isEmpty()) {
      return new Event.Looked(atStaging, List.of(), false, false);
    }
    MountPath target = parts.layout().target(identity, look.usage().get());
    List<Sighting> atTarget = parts.kernel().at(target);
    Optional<String> device = isBlock ? parts.kernel().device(target) : Optional.empty();
    return new Event.Looked(
        atStaging,
        atTarget,
        device.isPresent(),
        !atTarget.isEmpty() || parts.directories().isMade(target),
        isBlock
            ? device.flatMap(it -> devices.objection(identity, look.usage().get(), it))
            : top(atTarget).flatMap(it -> host.objection(identity, it)),
        isBlock
            ? Optional.empty()
            : top(atTarget)
                .flatMap(host::remark)
                .map(text -> new Notice(OperatorCode.HOST_DISK_SHOWN, text, look.usage())));
  }

  private static Optional<Sighting> top(List<Sighting> stack) {
    return stack.isEmpty() ? Optional.empty() : Optional.of(stack.get(stack.size() - 1));
  }

  /** Whether something was not told yet that is told once for a plugin. */
  boolean isNews(VolumeIdentity identity, Notice notice) {
    return notice.code() != OperatorCode.HOST_DISK_SHOWN || onHostDisk.add(identity.plugin());
  }

  private boolean isFree(MountPath path) {
    return parts.kernel().at(path).isEmpty();
  }

  private static Event.Arranged arranged(Arrangement work) {
    try {
      work.run();
      return new Event.Arranged(Optional.empty());
    } catch (PathProblem problem) {
      return new Event.Arranged(Optional.of(problem));
    }
  }

  private static Event.Saved saved(Writing work) {
    try {
      work.run();
      return new Event.Saved(Optional.empty());
    } catch (StateException problem) {
      return new Event.Saved(Optional.of(problem));
    }
  }
}

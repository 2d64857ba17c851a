package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.layout.VolumeLayout.StrayUse;
import io.csi4j.volume.internal.path.Finding;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.RecordCodec;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.recovery.Recovery;
import io.csi4j.volume.internal.recovery.Recovery.Found;
import io.csi4j.volume.internal.recovery.Recovery.Recovered;
import io.csi4j.volume.internal.recovery.Recovery.Remembered;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Inventory of a start: reads the records, directories and mounts of an earlier run, compares them,
 * and passes the result to the engine.
 */
public final class StartInventory {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private static final Subject LOOKING = Subject.of("looking for directories of volumes");

  private final EngineParts parts;
  private final long begin;
  private final List<OperatorMessage> findings = new ArrayList<>();
  private final Remembered remembered;
  private final Recovered recovered;

  /** Reads the state, the directories and the mounts, and compares them. */
  StartInventory(EngineParts parts) {
    this.parts = parts;
    begin = parts.clock().nanos();
    List<PathProblem> damaged = new ArrayList<>();
    List<MountPath> blank = new ArrayList<>();
    remembered = Remembered.of(parts.state().load());
    List<Sighting> mounted = parts.kernel().beneath(parts.layout().volumes());
    List<VolumeDirectories.Found> directories =
        directories(damaged, blank).stream()
            .map(it -> remembered.isBuried(it.identity()) ? repaired(it, mounted) : it)
            .toList();
    blank.stream().filter(home -> !isUsed(home, mounted)).forEach(this::removeBlank);
    recovered =
        Recovery.of(
            parts.layout(), new Found(remembered, directories, mounted, parts.kernel().place()));
    recovered.volumes().stream()
        .filter(it -> remembered.isOnRecord(it.identity()) && isOfOtherBoot(it.identity()))
        .forEach(this::removeUsesThatAreOver);
    if (!damaged.isEmpty()) {
      Map<MountPath, VolumeIdentity> known =
          recovered.volumes().stream()
              .map(VolumeRecord::identity)
              .collect(Collectors.toMap(parts.layout()::who, identity -> identity));
      damaged.forEach(problem -> findings.add(repaired(problem, known.get(problem.path()))));
    }
    findings.addAll(recovered.findings());
    findings.addAll(summary(recovered));
  }

  /**
   * Returns the messages for operators that a start would report if it repaired nothing.
   *
   * @param damaged the problems of directories that cannot be read as directories of a volume
   */
  public static List<OperatorMessage> findings(Recovered recovered, List<PathProblem> damaged) {
    List<OperatorMessage> all = new ArrayList<>();
    damaged.forEach(problem -> all.add(told(problem)));
    all.addAll(recovered.findings());
    all.addAll(summary(recovered));
    return all;
  }

  private List<VolumeDirectories.Found> directories(
      List<PathProblem> damaged, List<MountPath> blank) {
    try {
      return parts.directories().scan(remembered, damaged::add, blank::add);
    } catch (PathProblem problem) {
      damaged.add(problem);
      return List.of();
    }
  }

  private Optional<Finding> repair(VolumeIdentity identity) throws PathProblem {
    return parts.directories().repairIdentity(identity, isOfOtherBoot(identity));
  }

  private boolean isOfOtherBoot(VolumeIdentity identity) {
    return remembered.isOfOtherBoot(identity, parts.kernel().place());
  }

  private static boolean isUsed(MountPath home, List<Sighting> mounted) {
    return mounted.stream().anyMatch(it -> it.path().isWithin(home));
  }

  /** Removes a directory that a power loss has left when no other trace of its volume exists. */
  private void removeBlank(MountPath home) {
    try {
      parts.directories().removeBlank(home);
    } catch (PathProblem problem) {
      findings.add(told(problem));
    }
  }

  /**
   * Removes the directories of ended uses: a power loss has undone their removal, and nothing is
   * mounted in them.
   */
  private void removeUsesThatAreOver(VolumeRecord volume) {
    VolumeIdentity identity = volume.identity();
    Set<String> known =
        volume.targets().keySet().stream()
            .map(use -> StrayUse.directory(use).orElseGet(() -> VolumeLayout.id(use)))
            .collect(Collectors.toSet());
    try {
      for (String use : parts.directories().uses(identity)) {
        if (!known.contains(use)) {
          parts.directories().removeUse(identity, use);
        }
      }
    } catch (PathProblem problem) {
      findings.add(told(problem));
    }
  }

  /**
   * Returns a released volume whose directory exists again, so that the engine removes it. If a
   * power loss has undone the removal of the directory and nothing is mounted in it, the
   * directories of its uses are removed here.
   */
  private VolumeDirectories.Found repaired(VolumeDirectories.Found buried, List<Sighting> mounted) {
    VolumeIdentity identity = buried.identity();
    MountPath home = parts.layout().volume(identity);
    if (isUsed(home, mounted)) {
      return buried;
    }
    try {
      repair(identity);
      if (isOfOtherBoot(identity)) {
        for (String use : buried.uses()) {
          parts.directories().removeUse(identity, use);
        }
        return new VolumeDirectories.Found(identity, List.of());
      }
    } catch (PathProblem problem) {
      findings.add(told(problem));
    }
    return buried;
  }

  /**
   * Writes a missing or damaged identity file of a known volume again, and returns a message about
   * the repair. For an unknown volume, returns a message about the problem.
   */
  private OperatorMessage repaired(PathProblem problem, @Nullable VolumeIdentity identity) {
    if (identity == null) {
      return told(problem);
    }
    try {
      Optional<Finding> finding = repair(identity);
      return finding.isEmpty()
          ? told(problem)
          : Messages.of(
              OperatorCode.SIDECAR_REPAIRED, LOOKING.at(problem.path()), finding.get().text());
    } catch (PathProblem again) {
      return told(again);
    }
  }

  private boolean isInState(VolumeRecord volume) {
    return remembered.hasKey(parts.layout().key(volume.identity()));
  }

  /**
   * Writes records for volumes that were found without a record, and syncs the records before any
   * directory of these volumes is removed. Returns the volumes whose records the state did not
   * accept.
   */
  private Set<VolumeIdentity> writeDown(List<VolumeRecord> volumes) {
    Set<VolumeIdentity> left =
        volumes.stream().map(VolumeRecord::identity).collect(Collectors.toCollection(HashSet::new));
    try {
      for (VolumeRecord volume : volumes) {
        boolean isLast = left.size() == 1;
        Stored stored =
            parts
                .state()
                .put(
                    parts.layout().key(volume.identity()),
                    RecordCodec.encode(volume),
                    isLast ? Durability.BEST_EFFORT : Durability.DEFERRED);
        if (stored == Stored.REMEMBERED) {
          return left;
        }
        left.remove(volume.identity());
      }
    } catch (StateException refused) {
      LOG.log(Level.DEBUG, "The findings are not recorded yet.", refused);
    }
    return left;
  }

  private static OperatorMessage told(PathProblem problem) {
    return Messages.of(
        problem.kind().code(),
        LOOKING.at(problem.path()),
        problem.seen(),
        new OperatorMessage.Part(problem.advice()));
  }

  /** Returns messages about the adopted uses, and about uses that wait for the host's list. */
  private static List<OperatorMessage> summary(Recovered recovered) {
    Subject doing = Subject.of("finding volumes again");
    List<OperatorMessage> told = new ArrayList<>();
    int adopted = recovered.adopted().size();
    if (adopted > 0) {
      told.add(
          Messages.of(
              OperatorCode.ADOPTED,
              doing,
              counted(adopted, "recorded use was", "recorded uses were") + " found mounted"));
    }
    List<String> waiting = new ArrayList<>();
    int doubtful = recovered.inDoubt().size();
    if (doubtful > 0) {
      waiting.add(counted(doubtful, "use", "uses") + " may or may not be mounted");
    }
    int going = recovered.going().size();
    if (going > 0) {
      waiting.add(
          counted(going, "use was", "uses were") + " being released when the last run ended");
    }
    if (!waiting.isEmpty()) {
      told.add(
          Messages.of(
              OperatorCode.WAITING_FOR_HOST,
              doing,
              "the host has not reported which uses it still wants; "
                  + String.join(", and ", waiting)));
    }
    return told;
  }

  private static String counted(int count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }

  /** Returns the mounts that belong to no known volume. */
  List<MountPath> unknown() {
    return recovered.unknown();
  }

  /** Adds the volumes to the index, passes on the tombstones, and reports the findings. */
  RecoveryReport into(VolumeIndex index, Tombstones tombstones) {
    Set<VolumeIdentity> unwritten =
        writeDown(recovered.volumes().stream().filter(it -> !isInState(it)).toList());
    for (VolumeRecord volume : recovered.volumes()) {
      VolumeQueue actor = index.found(volume);
      if (recovered.late().contains(volume.identity())) {
        actor.restoreLate(volume);
      } else {
        actor.restore(volume);
      }
      if (unwritten.contains(volume.identity())) {
        actor.memory.notOnRecord();
      }
    }
    recovered.tombstones().forEach(tombstones::add);
    findings.forEach(finding -> parts.events().accept(new VolumeEvent.Noticed(finding)));
    return new RecoveryReport(
        recovered.volumes().size(),
        recovered.adopted(),
        recovered.inDoubt(),
        recovered.going(),
        findings,
        Duration.ofNanos(parts.clock().nanos() - begin));
  }
}

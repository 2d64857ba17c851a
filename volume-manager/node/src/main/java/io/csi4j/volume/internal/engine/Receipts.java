package io.csi4j.volume.internal.engine;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.PathStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Proves that nothing of a use is left on this node, or says what is: what is on record and what
 * the mount table shows both have to say so.
 */
final class Receipts {

  private static final String DOING = "proving that nothing is left of";

  private final EngineParts parts;
  private final UsageKey usage;
  private final Optional<VolumeIdentity> identity;
  private final Map<VolumeIdentity, VolumeRecord> records;

  /**
   * About one use.
   *
   * @param identity which volume it was of, where that is known
   * @param records what is on record
   */
  Receipts(
      EngineParts parts,
      UsageKey usage,
      Optional<VolumeIdentity> identity,
      Map<VolumeIdentity, VolumeRecord> records) {
    this.parts = parts;
    this.usage = usage;
    this.identity = identity;
    this.records = new TreeMap<>(records);
  }

  /** The proof, for the claim with this epoch. */
  NodeReceipt receipt(long epoch) {
    var terms =
        parts
            .claims()
            .terms()
            .orElseThrow(() -> refused("the manager was opened without the name of its node"));
    for (VolumeRecord record : records.values()) {
      for (TargetRecord target : record.targets().values()) {
        if (target.usage().equals(usage) || isNamed(target)) {
          throw refused("it is on record as " + target.path().status());
        }
      }
    }
    List<Sighting> mounted = mounted();
    for (Sighting sighting : mounted) {
      if (isOfUse(sighting.path())) {
        throw refused("it is mounted at " + sighting.path());
      }
    }
    NodeReceipt.Staging staging =
        identity.isPresent() ? staging(identity.get(), mounted) : staging(mounted);
    return new NodeReceipt(
        usage, epoch, terms.node(), parts.kernel().place().boot(), looked(), staging);
  }

  /** Whether it is the use, of which only the directory is left. */
  private boolean isNamed(TargetRecord target) {
    return target.usage().workload().value().equals(VolumeLayout.id(usage));
  }

  private List<Sighting> mounted() {
    try {
      return parts.kernel().beneath(parts.layout().volumes());
    } catch (MountException e) {
      throw Results.refused(
          OperatorCode.MOUNT_TABLE_UNREADABLE,
          Subject.of(DOING).by(usage),
          String.valueOf(e.getMessage()));
    }
  }

  /** Whether a path is in the directory that the use has in that of its volume. */
  private boolean isOfUse(MountPath path) {
    String below = path.toString().substring(parts.layout().volumes().toString().length());
    return below.contains("/p/" + VolumeLayout.id(usage) + "/");
  }

  private NodeReceipt.Staging staging(VolumeIdentity volume, List<Sighting> mounted) {
    Optional<VolumeRecord> record = Optional.ofNullable(records.get(volume));
    if (record.filter(known -> !known.targets().isEmpty()).isPresent()) {
      return NodeReceipt.Staging.KEPT_FOR_OTHERS;
    }
    if (record.filter(known -> !known.staging().is(PathStatus.NONE)).isPresent()) {
      throw refused("its staging is on record as " + record.get().staging().status());
    }
    for (Sighting sighting : mounted) {
      if (sighting.path().isWithin(parts.layout().volume(volume))) {
        throw refused("its volume is mounted at " + sighting.path());
      }
    }
    return NodeReceipt.Staging.GONE;
  }

  /** Returns the staging where the volume is not named: none may be there that might be its. */
  private NodeReceipt.Staging staging(List<Sighting> mounted) {
    for (Map.Entry<VolumeIdentity, VolumeRecord> volume : records.entrySet()) {
      if (volume.getValue().targets().keySet().stream()
          .anyMatch(other -> other.volume().equals(usage.volume()))) {
        return NodeReceipt.Staging.KEPT_FOR_OTHERS;
      }
    }
    for (VolumeRecord record : records.values()) {
      if (record.targets().isEmpty()) {
        throw refused(
            "nobody said which volume it was of, and "
                + record.identity()
                + " is being given back");
      }
    }
    for (Sighting sighting : mounted) {
      if (records.keySet().stream()
          .noneMatch(volume -> sighting.path().isWithin(parts.layout().volume(volume)))) {
        throw refused(
            "nobody said which volume it was of, and nobody knows whose the mount is at "
                + sighting.path());
      }
    }
    return NodeReceipt.Staging.GONE;
  }

  private List<Path> looked() {
    return identity
        .map(
            volume ->
                List.of(
                    parts.layout().target(volume, usage).toPath(),
                    parts.layout().staging(volume).toPath()))
        .orElseGet(() -> List.of(parts.layout().volumes().toPath()));
  }

  private VolumeException refused(String seen) {
    return Results.refused(OperatorCode.RECEIPT_REFUSED, Subject.of(DOING).by(usage), seen);
  }
}

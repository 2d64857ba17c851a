package io.csi4j.volume.node;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The status of one volume of a plugin on this node.
 *
 * @param plugin the plugin
 * @param handle the volume as the plugin names it
 * @param staging how far its staging is; {@link PathStatus#NONE} for a plugin without staging
 * @param uses who uses it, in order
 * @param leaving the uses that are over, whose volume is still being given back; no workload has it
 *     then
 * @param abandoned the uses whose release a person has ended, each with the reason given; kept
 *     until the use is wanted again or the volume given back
 * @param accessMode how it may be used
 * @param fsType the filesystem that was asked for, if one was; mount flags are not told, as they
 *     may hold secrets
 * @param block whether it is used as a raw block device
 * @param trouble what stands in the way, if anything does
 * @param health the known faults of the volume; for people and policies
 * @since 1.0
 */
public record VolumeStatus(
    PluginId plugin,
    VolumeId handle,
    PathStatus staging,
    List<Use> uses,
    List<VolumeUse> leaving,
    Map<VolumeUse, String> abandoned,
    AccessMode accessMode,
    Optional<String> fsType,
    boolean block,
    Optional<OperatorMessage> trouble,
    VolumeHealth health) {

  /** Copies the collections. */
  public VolumeStatus {
    uses = List.copyOf(uses);
    leaving = List.copyOf(leaving);
    abandoned = Map.copyOf(abandoned);
  }

  /** Returns the names that hosts have for it, also those of uses that are being given back. */
  public Set<VolumeKey> keys() {
    return Stream.concat(uses.stream().map(Use::key), leaving.stream())
        .map(VolumeUse::volume)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether it is, or was until what is owed for it is done, what a host calls by this name. */
  public boolean isOf(VolumeKey volume) {
    return keys().contains(volume);
  }

  /**
   * Returns the status for people: a line for the volume, and one for each use. Trouble and health
   * are not in it.
   *
   * @param most maximum number of uses that are listed; the others are counted
   */
  public List<String> lines(int most) {
    List<String> lines = new ArrayList<>();
    lines.add(
        new VolumeIdentity(plugin, handle)
            + ": "
            + (block ? "raw block device, " : "filesystem, ")
            + staging.ofStaging()
            + ", used by "
            + (uses.isEmpty() ? "no" : uses.size())
            + (uses.size() == 1 ? " workload" : " workloads"));
    uses.stream().limit(most).map(Use::phrase).forEach(lines::add);
    if (uses.size() > most) {
      lines.add("and " + (uses.size() - most) + " more");
    }
    leaving.stream()
        .limit(most)
        .map(use -> "no workload has it any more; the last was " + use.phrase())
        .forEach(lines::add);
    abandoned.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .limit(most)
        .map(
            use ->
                use.getKey().phrase()
                    + ": abandoned by a person, who said: "
                    + ForeignText.of(use.getValue()))
        .forEach(lines::add);
    return lines;
  }

  /**
   * One use of it.
   *
   * @param key whose
   * @param status how far it is
   * @param readOnly whether it may only be read
   * @param path where it is on this host
   */
  public record Use(VolumeUse key, PathStatus status, boolean readOnly, Path path) {

    private String phrase() {
      return key.phrase()
          + ": "
          + status.ofTarget()
          + (readOnly ? ", read-only, at " : ", at ")
          + ForeignText.of(path.toString());
    }
  }
}

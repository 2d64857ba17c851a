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
 * @param staging the state of the staging path; {@link PathStatus#NONE} for a plugin without
 *     staging
 * @param uses the uses, in order
 * @param leaving the ended uses of a volume whose cleanup is still pending and that no workload
 *     uses any more
 * @param abandoned the uses that an operator abandoned, each with the reason; kept until the use is
 *     wanted again or the cleanup of the volume has ended
 * @param accessMode the access mode
 * @param fsType the requested filesystem type, if any; mount flags are left out, because they may
 *     contain secrets
 * @param block whether the volume is used as a raw block device
 * @param trouble the present obstacle, if there is one
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

  /**
   * Returns the names by which hosts know the volume. Names from uses whose cleanup is pending are
   * included.
   */
  public Set<VolumeKey> keys() {
    return Stream.concat(uses.stream().map(Use::key), leaving.stream())
        .map(VolumeUse::volume)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns whether a host uses this name for the volume, or used it for a use whose cleanup is
   * pending.
   */
  public boolean isOf(VolumeKey volume) {
    return keys().contains(volume);
  }

  /**
   * Returns the status for people: one line for the volume and one line for each use. The lines
   * contain neither trouble nor health.
   *
   * @param most maximum number of listed uses; a last line counts the uses that are left out
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
                    + ": abandoned by an operator, who said: "
                    + ForeignText.of(use.getValue()))
        .forEach(lines::add);
    return lines;
  }

  /**
   * One use of the volume.
   *
   * @param key the volume and the workload
   * @param status the state of the target path
   * @param readOnly whether the workload may only read
   * @param path the target path on this host
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

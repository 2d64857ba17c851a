package io.csi4j.volume.workload;

import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.internal.names.Violations;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.InvalidRequestException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The mount of a workload's volume in one of its tasks.
 *
 * @param volume the alias of the volume
 * @param destination the absolute path in the task's view of the filesystem
 * @param readOnly whether the task only reads, even if the workload may write
 * @param propagation whether mounts below the destination propagate between task and host
 * @param relabel whether the runtime relabels the files for SELinux, and for which tasks
 * @since 1.0
 */
public record VolumeMount(
    VolumeAlias volume,
    MountPath destination,
    boolean readOnly,
    Propagation propagation,
    Optional<SelinuxRelabel> relabel) {

  private static final MountPath PROC = MountPath.of("/proc");

  /** Rejects a destination at which no runtime can mount a volume. */
  public VolumeMount {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(propagation, "propagation");
    Objects.requireNonNull(relabel, "relabel");
    possible(destination);
  }

  /** Returns a writable mount at a destination, without propagation and relabelling. */
  public static VolumeMount of(VolumeAlias volume, MountPath destination) {
    return new VolumeMount(volume, destination, false, Propagation.PRIVATE, Optional.empty());
  }

  /**
   * Returns a builder that accepts the text values of a job description. The values are checked
   * only in {@link Builder#build}, which reports all violations together.
   *
   * @param volume the alias of the volume
   */
  public static Builder builder(String volume) {
    return new Builder(volume);
  }

  private static MountPath possible(MountPath destination) {
    if (destination.isRoot() || destination.isWithin(PROC)) {
      throw new IllegalArgumentException(
          "A volume cannot be mounted at '" + destination + "'. Choose a separate directory.");
    }
    return destination;
  }

  /** Builder of a {@link VolumeMount} from the text values of a job description. */
  public static final class Builder {

    private final String volume;
    private @Nullable String destination;
    private boolean readOnly;
    private String propagation = "";
    private @Nullable String relabel;

    private Builder(String volume) {
      this.volume = Objects.requireNonNull(volume, "volume");
    }

    /**
     * Sets the destination, which must be an absolute path without {@code ..}. The destination is
     * required.
     */
    public Builder destination(String path) {
      destination = Objects.requireNonNull(path, "path");
      return this;
    }

    /** Sets whether the task only reads. By default, it may write if the workload may. */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /**
     * Sets the propagation: {@code private}, {@code host-to-task} or {@code bidirectional}. The
     * default is private.
     */
    public Builder propagation(String word) {
      propagation = Objects.requireNonNull(word, "word");
      return this;
    }

    /**
     * Sets how the runtime relabels the files for SELinux: {@code z} for all tasks, or {@code Z}
     * for this task only. By default, files are not relabelled.
     */
    public Builder relabel(String letter) {
      relabel = Objects.requireNonNull(letter, "letter");
      return this;
    }

    /** Returns all violations so far; empty if the mount can be built. */
    public List<Violation> violations() {
      Violations found = new Violations();
      Optional<VolumeMount> ignored = made(found);
      return found.all();
    }

    /**
     * Returns the mount.
     *
     * @throws InvalidRequestException with all violations
     */
    public VolumeMount build() {
      Violations found = new Violations();
      Optional<VolumeMount> mount = made(found);
      InvalidRequestException.check(
          "The mount of volume '" + ForeignText.of(volume) + "'", found.all());
      return mount.orElseThrow();
    }

    private Optional<VolumeMount> made(Violations found) {
      Optional<VolumeAlias> alias = found.read("volume", volume, VolumeAlias::of);
      Optional<MountPath> place =
          found.read("destination", destination, path -> possible(MountPath.of(path)));
      if (destination == null) {
        found.add("destination", Rule.REQUIRED, "is missing: say where the task wants to see it");
      }
      Optional<Propagation> propagates =
          found.read("propagation_mode", propagation, PropagationWords::parse);
      Optional<SelinuxRelabel> labels = found.read("selinux_label", relabel, SelinuxRelabel::parse);
      return found.all().isEmpty()
          ? Optional.of(
              new VolumeMount(
                  alias.orElseThrow(),
                  place.orElseThrow(),
                  readOnly,
                  propagates.orElseThrow(),
                  labels))
          : Optional.empty();
    }
  }

  /**
   * The tasks that may use the files of a volume after a runtime has relabelled them for SELinux.
   *
   * @since 1.0
   */
  public enum SelinuxRelabel {
    /** All tasks may use the files ({@code z}). */
    SHARED("z"),
    /** Only this task may use the files ({@code Z}). All other tasks lose access. */
    PRIVATE("Z");

    private final String word;

    SelinuxRelabel(String word) {
      this.word = word;
    }

    /**
     * Returns the relabelling for this letter.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static SelinuxRelabel parse(String letter) {
      return switch (letter) {
        case "z" -> SHARED;
        case "Z" -> PRIVATE;
        default ->
            throw new IllegalArgumentException(
                "Files are labelled with 'z' for all tasks or 'Z' for one; the given value is "
                    + "neither.");
      };
    }

    /** Returns the letter of the relabelling: {@code z} or {@code Z}. */
    public String word() {
      return word;
    }
  }
}

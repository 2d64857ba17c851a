package io.csi4j.volume.workload;

import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.names.Violations;
import io.csi4j.volume.internal.text.ForeignText;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where and how a task wants to see a volume of its workload.
 *
 * @param volume which one
 * @param destination where: an absolute path in the task's view of files
 * @param readOnly whether the task only reads, even if the workload may write
 * @param propagation which mounts below it the task and the host show each other
 * @param relabel how its files are labelled for SELinux, if they are
 * @since 1.0
 */
public record VolumeMount(
    VolumeAlias volume,
    MountPath destination,
    boolean readOnly,
    MountPropagation propagation,
    Optional<SelinuxRelabel> relabel) {

  private static final MountPath PROC = MountPath.of("/proc");

  /** Refuses a place where no runtime can put a volume. */
  public VolumeMount {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(propagation, "propagation");
    Objects.requireNonNull(relabel, "relabel");
    possible(destination);
  }

  /** A volume at a place, as it is. */
  public static VolumeMount of(VolumeAlias volume, MountPath destination) {
    return new VolumeMount(volume, destination, false, MountPropagation.PRIVATE, Optional.empty());
  }

  /**
   * Begins with the words of a job description. Nothing is refused before {@link Builder#build},
   * which tells everything.
   *
   * @param volume which one
   */
  public static Builder builder(String volume) {
    return new Builder(volume);
  }

  private static MountPath possible(MountPath destination) {
    if (destination.isRoot() || destination.isWithin(PROC)) {
      throw new IllegalArgumentException(
          "No volume can be at '" + destination + "'. Choose a directory of its own.");
    }
    return destination;
  }

  /** Collects the words of a job description. */
  public static final class Builder {

    private final String volume;
    private @Nullable String destination;
    private boolean readOnly;
    private String propagation = "";
    private @Nullable String relabel;

    private Builder(String volume) {
      this.volume = Objects.requireNonNull(volume, "volume");
    }

    /** Where: an absolute path without {@code ..}; required. */
    public Builder destination(String path) {
      destination = Objects.requireNonNull(path, "path");
      return this;
    }

    /** Sets whether the task only reads. It may write by default, if the workload may. */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /** {@code private}, {@code host-to-task} or {@code bidirectional}; nothing means private. */
    public Builder propagation(String word) {
      propagation = Objects.requireNonNull(word, "word");
      return this;
    }

    /** {@code z} or {@code Z}. */
    public Builder relabel(String letter) {
      relabel = Objects.requireNonNull(letter, "letter");
      return this;
    }

    /** All that is wrong so far; empty if it can be built. */
    public List<Violation> violations() {
      Violations found = new Violations();
      Optional<VolumeMount> ignored = made(found);
      return found.all();
    }

    /**
     * The mount.
     *
     * @throws WorkloadRequestException with all that is wrong
     */
    public VolumeMount build() {
      Violations found = new Violations();
      Optional<VolumeMount> mount = made(found);
      WorkloadRequestException.check("The mount of volume '" + ForeignText.of(volume) + "'", found);
      return mount.orElseThrow();
    }

    private Optional<VolumeMount> made(Violations found) {
      Optional<VolumeAlias> alias = found.read("volume", volume, VolumeAlias::of);
      Optional<MountPath> place =
          found.read("destination", destination, path -> possible(MountPath.of(path)));
      if (destination == null) {
        found.add("destination", Rule.REQUIRED, "is missing: say where the task wants to see it");
      }
      Optional<MountPropagation> propagates =
          found.read("propagation_mode", propagation, MountPropagation::parse);
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
   * The users of the files of a volume after a runtime has labelled them for SELinux.
   *
   * @since 1.0
   */
  public enum SelinuxRelabel {
    /** All tasks ({@code z}). */
    SHARED("z"),
    /** This task alone ({@code Z}): the files are taken away from all others. */
    PRIVATE("Z");

    private final String word;

    SelinuxRelabel(String word) {
      this.word = word;
    }

    /**
     * The relabelling of this letter.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static SelinuxRelabel parse(String letter) {
      return switch (letter) {
        case "z" -> SHARED;
        case "Z" -> PRIVATE;
        default ->
            throw new IllegalArgumentException(
                "Files are labelled with 'z' for all tasks or 'Z' for one, and not as was given.");
      };
    }

    /** Its letter: {@code z} or {@code Z}. */
    public String word() {
      return word;
    }
  }
}

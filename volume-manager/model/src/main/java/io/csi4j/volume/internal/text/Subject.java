package io.csi4j.volume.internal.text;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;

/**
 * The subject of a message.
 *
 * @param doing the operation, as a phrase such as {@code publishing}
 * @param identity the volume, if known
 * @param usage the use of the volume, if the message concerns a use
 * @param path the path, if the message concerns a path
 */
public record Subject(
    String doing,
    Optional<VolumeIdentity> identity,
    Optional<VolumeUse> usage,
    Optional<MountPath> path) {

  /** Returns a subject for a volume. */
  public static Subject of(String doing, VolumeIdentity identity) {
    return new Subject(doing, Optional.of(identity), Optional.empty(), Optional.empty());
  }

  /** Returns a subject for the manager itself. */
  public static Subject of(String doing) {
    return new Subject(doing, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Returns this subject with a use. */
  public Subject by(VolumeUse usage) {
    return new Subject(doing, identity, Optional.of(usage), path);
  }

  /** Returns this subject with a path. */
  public Subject at(MountPath path) {
    return new Subject(doing, identity, usage, Optional.of(path));
  }

  /**
   * Returns the subject as text, such as {@code publishing volume 'vol-7' (default/db-1 for
   * workload 'web-1') of plugin 'hostpath.csi' at /…/t}.
   */
  String phrase() {
    StringBuilder phrase = new StringBuilder(ForeignText.of(doing));
    identity.ifPresent(volume -> phrase.append(" volume ").append(quoted(volume.handle().value())));
    usage.ifPresent(
        use ->
            phrase
                .append(identity.isPresent() ? " (" : " volume ")
                .append(ForeignText.of(use.volume().toString()))
                .append(" for workload ")
                .append(quoted(use.workload().value()))
                .append(identity.isPresent() ? ")" : ""));
    identity.ifPresent(
        volume -> phrase.append(" of plugin ").append(quoted(volume.plugin().value())));
    path.ifPresent(place -> phrase.append(" at ").append(place));
    return phrase.toString();
  }

  private static String quoted(String text) {
    return "'" + ForeignText.of(text) + "'";
  }
}

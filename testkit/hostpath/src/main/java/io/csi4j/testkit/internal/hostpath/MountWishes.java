package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.MountVolume;
import io.csi4j.client.model.StatusCode;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.testkit.internal.backend.Refusal;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Translates a volume capability into mount flags. */
final class MountWishes {

  private static final Set<String> WITHOUT_EFFECT = Set.of("", "rw", "defaults", "bind");

  private static final Set<String> FILESYSTEMS = Set.of("", "none", "bind");

  private MountWishes() {}

  /**
   * Returns the requested flags; refuses flags that a bind mount of that medium does not support.
   */
  static Set<MountFlag> of(VolumeCapability capability, Medium medium) throws Refusal {
    MountVolume mount = capability.getMount();
    String type = mount.getFsType();
    boolean isTmpfs = type.equals("tmpfs") && medium == Medium.MEMORY;
    if (!FILESYSTEMS.contains(type) && !isTmpfs) {
      throw Refusal.of(
          StatusCode.INVALID_ARGUMENT,
          "The volume cannot be mounted: fs_type is %s, but volumes here are "
              + (medium == Medium.MEMORY ? "tmpfs" : "directories")
              + ". Leave it empty"
              + (type.equals("tmpfs")
                  ? ", or create the volume with the parameter medium=memory"
                  : "")
              + ".",
          type);
    }
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    Set<String> unknown = new TreeSet<>();
    for (String list : mount.getMountFlagsList()) {
      for (String word : List.of(list.split(",", -1))) {
        Optional<MountFlag> flag = MountFlag.ofWord(word);
        flag.ifPresent(flags::add);
        if (flag.isEmpty() && !WITHOUT_EFFECT.contains(word)) {
          unknown.add(name(word));
        }
      }
    }
    if (!unknown.isEmpty()) {
      throw Refusal.of(
          StatusCode.INVALID_ARGUMENT,
          "The volume cannot be mounted: the mount flags %s mean nothing to a bind mount."
              + " Leave them out; ro, nosuid, nodev, noexec, noatime, nodiratime, relatime and"
              + " nosymfollow are supported.",
          unknown);
    }
    return flags;
  }

  /** Returns the printable part of a flag; its value may be a password. */
  private static String name(String flag) {
    int equals = flag.indexOf('=');
    String name = equals < 0 ? flag : flag.substring(0, equals) + "=…";
    return name.matches("[A-Za-z0-9_.-]{1,40}(=…)?") ? name : "(unprintable)";
  }
}

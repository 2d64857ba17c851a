package io.csi4j.testkit.mount;

import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The options of a mount, sorted.
 *
 * @param flags what they forbid
 * @param own the filesystem's own, without the secret ones
 */
record SortedMountOptions(Set<MountFlag> flags, List<String> own) {

  private static final int MOST_BYTES = 4095;
  private static final Set<String> FOR_USER_SPACE =
      Set.of("defaults", "rw", "auto", "noauto", "user", "nouser", "nofail", "_netdev");

  static SortedMountOptions of(String doing, FilesystemRequest request) {
    Set<MountFlag> flags = EnumSet.noneOf(MountFlag.class);
    List<String> own = new ArrayList<>();
    for (String option : request.options()) {
      check(doing, request, option, "the option '" + KernelText.of(option) + "'");
      MountFlag flag = flag(option);
      if (flag != null) {
        flags.add(flag);
      } else if (!FOR_USER_SPACE.contains(option) && !option.startsWith("x-")) {
        own.add(option);
      }
    }
    int bytes = String.join(",", own).getBytes(StandardCharsets.UTF_8).length;
    for (String secret : request.revealSecretOptions()) {
      check(doing, request, secret, "a secret option");
      bytes += 1 + secret.getBytes(StandardCharsets.UTF_8).length;
    }
    if (bytes > MOST_BYTES) {
      throw refused(doing, request, "the options have more than " + MOST_BYTES + " bytes");
    }
    flags.addAll(request.flags());
    return new SortedMountOptions(Flags.ofNew(flags), own);
  }

  private static @org.jspecify.annotations.Nullable MountFlag flag(String word) {
    for (MountFlag flag : MountFlag.values()) {
      if (flag.word().equals(word)) {
        return flag;
      }
    }
    return null;
  }

  private static void check(String doing, FilesystemRequest request, String option, String shown) {
    if (option.indexOf(',') >= 0 || option.indexOf('\0') >= 0) {
      throw refused(doing, request, shown + " holds a comma or a NUL");
    }
  }

  private static MountException refused(String doing, FilesystemRequest request, String why) {
    return KernelErrors.refused(
            Reason.BAD_OPTIONS, doing, why, "Correct the request", request.target())
        .source(request.source())
        .build();
  }
}

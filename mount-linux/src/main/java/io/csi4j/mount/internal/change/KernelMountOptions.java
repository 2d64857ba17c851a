package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a request, sorted into the flags and the text that {@code mount(2)} takes. A
 * request's own flags hold even against its options.
 */
final class KernelMountOptions {

  /** The kernel reads one page and drops the rest without a word. */
  private static final int MAX_BYTES = 4095;

  private static final Set<String> FOR_USER_SPACE =
      words(
          "defaults auto noauto user nouser users nousers owner noowner group nogroup nofail _netdev");

  /** Other operations than to mount. */
  private static final Set<String> OPERATIONS =
      words(
          "remount bind rbind move private rprivate slave rslave shared rshared unbindable"
              + " runbindable");

  private final long bits;
  private final byte[] data;

  private KernelMountOptions(long bits, byte[] data) {
    this.bits = bits;
    this.data = data;
  }

  /**
   * Sorts them.
   *
   * @throws MountException with {@link Reason#BAD_OPTIONS}; it shows no secret option
   */
  static KernelMountOptions of(String doing, FilesystemRequest request) {
    FlagBits.check(doing, request.flags());
    long bits = 0;
    List<String> own = new ArrayList<>();
    for (String option : request.options()) {
      String shown = "the option '" + PrintableText.escape(option) + "'";
      check(doing, request, option, shown);
      if (OPERATIONS.contains(option)) {
        throw refused(
            doing,
            request,
            shown + " asks for something else than to mount a filesystem",
            "Leave it out, and use the method of Mounts that does it");
      }
      if (FlagBits.isFlag(option)) {
        bits = FlagBits.apply(option, bits);
      } else if (!option.isEmpty() && !isForUserSpace(option)) {
        own.add(option);
      }
    }
    for (String option : request.revealSecretOptions()) {
      check(doing, request, option, "a secret option");
      own.add(option);
    }
    for (MountFlag flag : request.flags()) {
      bits = FlagBits.apply(flag.word(), bits);
    }
    byte[] text = String.join(",", own).getBytes(StandardCharsets.UTF_8);
    if (text.length > MAX_BYTES) {
      throw refused(
          doing,
          request,
          "the options have "
              + text.length
              + " bytes together, and the kernel reads "
              + MAX_BYTES
              + " of them at most",
          "Use fewer");
    }
    return new KernelMountOptions(bits, text);
  }

  /** The flags. */
  long bits() {
    return bits;
  }

  /** The filesystem's own options with a NUL at their end; nothing if there are none. */
  byte @Nullable [] data() {
    return data.length == 0 ? null : Arrays.copyOf(data, data.length + 1);
  }

  private static Set<String> words(String words) {
    return Set.of(words.split(" ", -1));
  }

  private static boolean isForUserSpace(String option) {
    return FOR_USER_SPACE.contains(option)
        || option.startsWith("x-")
        || option.startsWith("X-")
        || option.startsWith("comment=");
  }

  private static void check(String doing, FilesystemRequest request, String option, String shown) {
    if (option.indexOf(',') >= 0 || option.indexOf('\0') >= 0) {
      throw refused(
          doing,
          request,
          shown + " holds a comma or a NUL, which would make it more than one",
          "Add each option by itself");
    }
  }

  private static MountException refused(
      String doing, FilesystemRequest request, String why, String next) {
    return MountException.builder(
            Reason.BAD_OPTIONS, doing + " was refused: " + why + ". " + next + ".")
        .source(request.source())
        .target(request.target())
        .build();
  }
}

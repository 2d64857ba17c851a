package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountFlag;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * One mount of a filesystem. The options of the request are split into the flags and the text for
 * {@code mount(2)}; explicit flags of a request override its options.
 */
final class FilesystemMount extends NewMount {

  /** The kernel reads one page of options and silently drops the rest. */
  private static final int MAX_BYTES = 4095;

  private static final Set<String> FOR_USER_SPACE =
      words(
          "defaults auto noauto user nouser users nousers owner noowner group nogroup nofail"
              + " _netdev");

  /** Options for other operations than mounting. */
  private static final Set<String> OPERATIONS =
      words(
          "remount bind rbind move private rprivate slave rslave shared rshared unbindable"
              + " runbindable");

  private final FilesystemRequest request;

  /** The flags. */
  private final long bits;

  /** The filesystem's own options. */
  private final byte[] data;

  /** Refuses options and names that the kernel would cut or misread. */
  FilesystemMount(Kernel kernel, Walk walk, FilesystemRequest request) {
    super(
        kernel,
        walk,
        "Mounting "
            + PrintableText.escape(request.type())
            + " '"
            + request.source().withoutCredentials()
            + "' at "
            + request.target(),
        request.source(),
        request.target(),
        request.createTarget());
    this.request = request;
    FlagBits.check(doing, request.flags());
    List<String> own = new ArrayList<>();
    this.bits = sort(own);
    this.data = String.join(",", own).getBytes(StandardCharsets.UTF_8);
    if (data.length > MAX_BYTES) {
      throw refused(
          "the options have "
              + data.length
              + " bytes together, but the kernel reads only "
              + MAX_BYTES
              + " of them",
          "Use fewer");
    }
    if (request.type().isEmpty() || request.type().indexOf('\0') >= 0) {
      throw failure(
          Reason.UNKNOWN_FILESYSTEM,
          " was refused: its type is empty or contains a NUL. Correct the request.");
    }
    for (byte each : request.source().bytes()) {
      if (each == 0) {
        throw failure(
            Reason.BAD_SOURCE, " was refused: its source contains a NUL. Correct the request.");
      }
    }
  }

  /**
   * Returns the flags among the options, and collects the filesystem's own options.
   *
   * @throws MountException with {@link Reason#BAD_OPTIONS}; it shows no secret option
   */
  private long sort(List<String> own) {
    long sum = 0;
    for (String option : request.options()) {
      String shown = "the option '" + PrintableText.escape(option) + "'";
      check(option, shown);
      if (OPERATIONS.contains(option)) {
        throw refused(
            shown + " does something other than mount a filesystem",
            "Leave it out, and use the method of Mounts that does it");
      }
      if (FlagBits.isFlag(option)) {
        sum = FlagBits.apply(option, sum);
      } else if (!option.isEmpty() && !isForUserSpace(option)) {
        own.add(option);
      }
    }
    for (String option : request.revealSecretOptions()) {
      check(option, "a secret option");
      own.add(option);
    }
    for (MountFlag flag : request.flags()) {
      sum = FlagBits.apply(flag.word(), sum);
    }
    return sum;
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

  private void check(String option, String shown) {
    if (option.indexOf(',') >= 0 || option.indexOf('\0') >= 0) {
      throw refused(
          shown + " contains a comma or a NUL, and would become more than one",
          "Add each option by itself");
    }
  }

  private MountException refused(String why, String next) {
    return failure(Reason.BAD_OPTIONS, " was refused: " + why + ". " + next + ".");
  }

  @Override
  public MountResult run(BooleanSupplier abandoned) {
    return atTarget(
        () -> true,
        spot -> {
          Optional<MountRecord> occupant = spot.occupant();
          return occupant.isPresent()
              ? sameOrRefuse(occupant.get())
              : new MountResult(mount(spot), true);
        });
  }

  private MountResult sameOrRefuse(MountRecord there) {
    Occupant occupant = new Occupant(there);
    if (!isOfType(there)) {
      occupant.expect("type", there.type(), KernelText.of(request.type()));
    }
    occupant.expect("source", there.source(), request.source());
    occupant.expectFlags(FlagBits.flags(bits));
    return occupant.sameOrRefuse();
  }

  private MountRef mount(Spot spot) {
    byte[] source = request.source().bytes();
    int mounted =
        kernel
            .calls()
            .mount(
                Arrays.copyOf(source, source.length + 1),
                spot.node.link(),
                Abi.path(request.type()),
                bits,
                data.length == 0 ? null : Arrays.copyOf(data, data.length + 1));
    if (mounted < 0) {
      // EINVAL does not say what is wrong.
      boolean isOfDevice = mounted == -Abi.EINVAL && needsDevice(request.type());
      throw failure(
          isOfDevice ? ErrnoMeaning.Work.MOUNT_DEVICE : ErrnoMeaning.Work.MOUNT, "mount", mounted);
    }
    boolean found = false;
    try (Descriptor root = spot.place.open(doing)) {
      MountRef ref = mountedOn(spot, root, this::isOfType).ref();
      found = true;
      return ref;
    } finally {
      if (!found) {
        takeAwayMoved(spot, this::isOfType);
      }
    }
  }

  private static boolean needsDevice(String type) {
    try {
      String all = new String(ProcFiles.read("/proc/filesystems"), StandardCharsets.US_ASCII);
      return all.lines().anyMatch(line -> line.equals("\t" + type));
    } catch (IOException e) {
      return false;
    }
  }

  private boolean isOfType(MountRecord mount) {
    return isOfType(mount.type(), request.type());
  }

  /** Returns whether a type is the requested one; the kernel may append a subtype or a version. */
  static boolean isOfType(KernelText there, String asked) {
    return there.is(asked)
        || new String(there.bytes(), StandardCharsets.UTF_8).startsWith(asked + ".")
        || (asked.equals("nfs") && there.is("nfs4"));
  }
}

package io.csi4j.mount.internal.change;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.ErrnoMeaning;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.proc.ProcFiles;
import io.csi4j.mount.internal.text.PrintableText;
import io.csi4j.mount.model.FilesystemRequest;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountRef;
import io.csi4j.mount.model.MountResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** One mount of a filesystem. */
final class FilesystemMount extends NewMount {

  private final FilesystemRequest request;
  private final KernelMountOptions options;

  /** Refuses options and names that the kernel would cut or read as something else. */
  FilesystemMount(Kernel kernel, Walk walk, FilesystemRequest request) {
    super(
        kernel,
        walk,
        "Mounting "
            + PrintableText.escape(request.type())
            + " '"
            + request.source()
            + "' at "
            + request.target(),
        request.source(),
        request.target(),
        request.createTarget());
    this.request = request;
    this.options = KernelMountOptions.of(doing, request);
    if (request.type().isEmpty() || request.type().indexOf('\0') >= 0) {
      throw failure(
          Reason.UNKNOWN_FILESYSTEM,
          " was refused: its type is empty or holds a NUL. Correct the request.");
    }
    for (byte each : request.source().bytes()) {
      if (each == 0) {
        throw failure(
            Reason.BAD_SOURCE, " was refused: its source holds a NUL. Correct the request.");
      }
    }
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
    occupant.expectFlags(FlagBits.flags(options.bits()));
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
                options.bits(),
                options.data());
    if (mounted < 0) {
      // Of EINVAL the kernel says no more than that something is wrong.
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

  /** Whether a type is the one that was asked for; the kernel may add a part, or a version. */
  static boolean isOfType(KernelText there, String asked) {
    return there.is(asked)
        || new String(there.bytes(), StandardCharsets.UTF_8).startsWith(asked + ".")
        || (asked.equals("nfs") && there.is("nfs4"));
  }
}

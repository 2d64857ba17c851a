package io.csi4j.examples;

import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.Errno;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountResult;
import io.csi4j.mount.model.OwnershipResult;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import io.csi4j.testkit.mount.KernelCall;
import io.csi4j.testkit.mount.MemoryKernel;
import java.time.Duration;
import java.util.function.Consumer;

/** The code blocks of docs/mounts.md. */
final class MountsSnippets {

  private MountsSnippets() {}

  static UnmountResult mounts(
      Mounts mounts, MountPath volume, MountPath target, Consumer<String> log) {
    // snippet: mounts
    try {
      MountResult bound =
          mounts.bind(
              BindRequest.builder(volume, target).createTarget(true).readOnly(true).build());
      log.accept(bound.created() ? "bound" : "was there already");
      return mounts.unmount(bound.ref(), UnmountPolicy.PLAIN.withBusyLimit(Duration.ofSeconds(5)));
    } catch (MountException failed) {
      log.accept(failed.reason() + ": " + failed.getMessage());
      throw failed;
    }
    // end
  }

  static OwnershipResult ownership(Mounts mounts, MountPath volume, Consumer<String> log) {
    // snippet: ownership
    FileOwnership wish = FileOwnership.ofGroup(2000); // adds 0660, and 02770 to directories
    OwnershipResult end = mounts.setOwnership(volume, wish, how -> log.accept(how.toString()));
    // end
    return end;
  }

  static MountProbe mountsInMemory() {
    // snippet: mounts in memory
    MemoryKernel kernel = new MemoryKernel();
    MountPath volume = kernel.host().directory(MountPath.of("/volumes/one"));
    MountPath target = kernel.host().directory(MountPath.of("/workloads/a"));
    kernel.failNext(KernelCall.UNMOUNT, new Errno(5)); // the next unmount is answered with EIO
    kernel.mounts().bind(BindRequest.builder(volume, target).build());
    MountProbe found = kernel.table().probe(target);
    // end
    return found;
  }
}

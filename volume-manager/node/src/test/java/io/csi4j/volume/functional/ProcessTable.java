package io.csi4j.volume.functional;

import io.csi4j.mount.model.MountPath;
import io.csi4j.testkit.mount.MemoryKernel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/**
 * What the kernel tells of processes, in a test whose plugins are all in its own process: a plugin
 * that ends and begins again is a process with another start.
 */
final class ProcessTable extends MemoryDisk {

  private final IntSupplier start;

  ProcessTable(IntSupplier start) {
    super(new MemoryKernel().host(), MountPath.of("/nowhere"));
    this.start = start;
  }

  @Override
  public byte[] read(Path file, int limit) {
    return ("1 (plugin) S" + " 0".repeat(18) + " " + start.getAsInt() + " 0 0\n")
        .getBytes(StandardCharsets.ISO_8859_1);
  }
}

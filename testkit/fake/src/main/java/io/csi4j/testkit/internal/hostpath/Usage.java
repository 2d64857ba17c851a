package io.csi4j.testkit.internal.hostpath;

import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.internal.proto.VolumeUsage.Unit;
import io.csi4j.testkit.internal.hostpath.Layout.StoredBytes;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * How full volumes are. One on disk has the capacity that was asked for, which nothing enforces, or
 * what is left of the filesystem that it is in, if that is less.
 */
final class Usage {

  private final Programs programs;

  Usage(Programs programs) {
    this.programs = programs;
  }

  /** The numbers of a volume that was made with this capacity. */
  List<VolumeUsage> of(StoredBytes volume, long capacity) throws IOException {
    if (volume.medium().isBlock()) {
      long length = Files.size(volume.content());
      return List.of(
          VolumeUsage.newBuilder().setUnit(Unit.BYTES).setTotal(length).setUsed(length).build());
    }
    FileStore store = Files.getFileStore(volume.content());
    List<VolumeUsage> usage = new ArrayList<>();
    long[] nodes = nodes(volume);
    if (volume.medium() == Medium.MEMORY) {
      long total = store.getTotalSpace();
      usage.add(usage(Unit.BYTES, total, total - store.getUnallocatedSpace()));
      if (nodes[0] > 0) {
        usage.add(usage(Unit.INODES, nodes[0], nodes[0] - nodes[1]));
      }
      return usage;
    }
    Tree.Size size = Tree.size(volume.content());
    long left = Math.min(Math.max(0, capacity - size.bytes()), store.getUsableSpace());
    usage.add(usage(Unit.BYTES, size.bytes() + left, size.bytes()));
    if (nodes[0] > 0) {
      usage.add(usage(Unit.INODES, size.files() + nodes[1], size.files()));
    }
    return usage;
  }

  private static VolumeUsage usage(Unit unit, long total, long used) {
    return VolumeUsage.newBuilder()
        .setUnit(unit)
        .setTotal(total)
        .setUsed(used)
        .setAvailable(Math.max(0, total - used))
        .build();
  }

  /** How many files the filesystem of a volume can have and can still make; zeros if unknown. */
  private long[] nodes(StoredBytes volume) {
    try {
      String said =
          programs.run("stat", "--file-system", "--format=%c %d", volume.content().toString());
      String[] numbers = said.split(" ", -1);
      return new long[] {Long.parseLong(numbers[0]), Long.parseLong(numbers[1])};
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      // Then bytes are all that is told.
      return new long[2];
    }
  }
}

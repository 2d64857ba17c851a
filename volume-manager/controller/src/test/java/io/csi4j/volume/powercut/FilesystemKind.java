package io.csi4j.volume.powercut;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A filesystem that the disk of the rig may have. */
enum FilesystemKind {
  EXT4(64, "mke2fs -q -F -t ext4", "data=ordered data=writeback"),
  XFS(384, "mkfs.xfs -q", "defaults"),
  BTRFS(256, "mkfs.btrfs -q", "defaults");

  private final int size;
  private final String make;
  private final String options;

  FilesystemKind(int size, String make, String options) {
    this.size = size;
    this.make = make;
    this.options = options;
  }

  /** The size of a disk with it, in MiB: not much more than the least that it takes. */
  int size() {
    return size;
  }

  /** The program that makes one, and its arguments but the last. */
  List<String> make() {
    return List.of(make.split(" ", -1));
  }

  /** The mount options that are tried, one recording after the other. */
  List<String> options() {
    return List.of(options.split(" ", -1));
  }

  static FilesystemKind of(String name) {
    return Arrays.stream(values())
        .filter(kind -> kind.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'" + name + "' is none of " + Arrays.toString(values()) + "."));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

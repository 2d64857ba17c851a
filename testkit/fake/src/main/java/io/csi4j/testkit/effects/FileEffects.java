package io.csi4j.testkit.effects;

import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Creates directories and files on the real filesystem, without mounts. */
final class FileEffects implements NodeEffects {

  @Override
  public boolean visible() {
    return true;
  }

  @Override
  public void stage(VolumeId volume, PluginPath staging) throws IOException {
    if (!Files.isDirectory(Path.of(staging.value()))) {
      throw new IOException(
          "the staging path " + staging + " is not a directory; the caller must create it");
    }
  }

  @Override
  public void unstage(VolumeId volume, PluginPath staging) {}

  @Override
  public void publish(Publication publication) throws IOException {
    Path target = Path.of(publication.target().value());
    boolean there = Files.exists(target, LinkOption.NOFOLLOW_LINKS);
    if (there && Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS) == publication.block()) {
      String kind = publication.block() ? "file" : "directory";
      throw new IOException(
          "the target path " + publication.target() + " already exists, and is not a " + kind);
    }
    if (there) {
      return;
    }
    try {
      if (publication.block()) {
        Files.createFile(target);
      } else {
        Files.createDirectory(target);
      }
    } catch (NoSuchFileException e) {
      String parent = "the parent of the target path " + publication.target();
      throw new IOException(parent + " is missing; the caller must create it", e);
    }
  }

  @Override
  public void unpublish(VolumeId volume, PluginPath target) throws IOException {
    try {
      Files.deleteIfExists(Path.of(target.value()));
    } catch (DirectoryNotEmptyException e) {
      throw new IOException(
          "the target path "
              + target
              + " is a directory that is not empty. This plugin keeps no data, so the workload"
              + " must delete its files",
          e);
    }
  }
}

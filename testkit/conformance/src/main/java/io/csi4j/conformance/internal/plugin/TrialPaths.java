package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.internal.text.SafeText;
import io.csi4j.conformance.model.PluginUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The staging and target paths of one case, in its own directory. Each path has two forms: one for
 * this process, and one for the plugin.
 */
final class TrialPaths {

  private final Path here;
  private final String there;
  private final List<Path> made = new ArrayList<>();
  private final List<Path> targets = new ArrayList<>();

  TrialPaths(PluginUnderTest plugin, Path directory, String name) {
    here = directory.resolve(name);
    there = plugin.directoryThere().map(Object::toString).orElse(directory.toString()) + "/" + name;
  }

  /** Returns the plugin's path of an existing directory, which this method creates if necessary. */
  String staging(String name) {
    directory(here);
    directory(here.resolve(name));
    return there + "/" + name;
  }

  /** Returns the plugin's form of an unused path in an existing directory. */
  String target(String name) {
    directory(here);
    Path target = here.resolve(name);
    if (!targets.contains(target)) {
      targets.add(target);
    }
    return there + "/" + name;
  }

  /** Returns this process's form of a path that the plugin sees as {@code atPlugin}. */
  Path here(String atPlugin) {
    return atPlugin.startsWith(there + "/")
        ? here.resolve(atPlugin.substring(there.length() + 1))
        : Path.of(atPlugin);
  }

  /** Returns the created directories, parents first. */
  List<Path> directories() {
    return List.copyOf(made);
  }

  private void directory(Path path) {
    if (!made.contains(path)) {
      try {
        Files.createDirectory(path);
      } catch (IOException e) {
        throw CaseEndedException.skipped(
            "the directory %s could not be made: %s"
                .formatted(SafeText.quote(path.toString()), SafeText.escape(e.toString())));
      }
      made.add(path);
    }
  }

  /**
   * Removes the created directories that are empty. Returns the remaining paths, each with the
   * reason.
   */
  List<String> remove() {
    List<String> left = new ArrayList<>();
    List<Path> all = new ArrayList<>(made);
    all.addAll(targets);
    for (int i = all.size() - 1; i >= 0; i--) {
      Path path = all.get(i);
      try {
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || Files.size(path) == 0) {
          boolean unused = Files.deleteIfExists(path);
        } else {
          left.add(SafeText.quote(path.toString()) + " holds data and was left alone.");
        }
      } catch (IOException e) {
        left.add(
            "%s could not be removed: %s. Check whether something is still mounted there."
                .formatted(SafeText.quote(path.toString()), SafeText.escape(e.toString())));
      }
    }
    return left;
  }
}

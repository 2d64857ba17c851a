package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What must not stand in any file of the project. */
class HygieneTest {

  private static final Path ROOT =
      Path.of(System.getProperty("csi4j.root", "..")).toAbsolutePath().normalize();

  private static final Set<String> NOT_OURS =
      Set.of("target", "node_modules", ".git", ".idea", ".settings", ".vscode");

  /** Words are put together here, so that this file does not hold them. */
  private static final Pattern UNFINISHED =
      Pattern.compile("\\b(?:" + String.join("|", "TO" + "DO", "FIX" + "ME", "X" + "XX") + ")\\b");

  private static final Pattern REGISTRY =
      Pattern.compile(
          "(?i)\\b(?:"
              + String.join(
                  "|",
                  "repo1?\\.maven\\.",
                  "central\\.sonatype\\.",
                  "oss\\.sonatype\\.",
                  "search\\.maven\\.",
                  "mvnrepository\\.",
                  "registry\\.npmjs\\.",
                  "pypi\\.",
                  "proxy\\.golang\\.",
                  "plugins\\.gradle\\.",
                  "jitpack\\.",
                  "docker\\.io",
                  "ghcr\\.io",
                  "quay\\.io",
                  "registry\\.k8s\\.",
                  "gcr\\.io")
              + ")");

  private static final Pattern HOMES = Pattern.compile("(?<![\\w.])/(?:home|root|Users)/\\w");

  @Test
  void nothingIsMarkedAsUnfinished() {
    assertThat(linesWith(UNFINISHED)).isEmpty();
  }

  @Test
  void noRegistryIsNamed() {
    assertThat(linesWith(REGISTRY)).isEmpty();
  }

  @Test
  void noFileKnowsTheMachineItWasWrittenOn() {
    String checkout = Pattern.quote(ROOT.toString());
    assertThat(linesWith(Pattern.compile(checkout + "|" + HOMES.pattern()))).isEmpty();
  }

  private static List<String> linesWith(Pattern pattern) {
    List<String> found = new ArrayList<>();
    List<Path> files = files();
    assertThat(files).as("files under %s", ROOT).hasSizeGreaterThan(100);
    for (Path file : files) {
      // Every file can be read as Latin-1, and what is looked for is ASCII.
      try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
        lines
            .filter(pattern.asPredicate())
            .forEach(line -> found.add(ROOT.relativize(file) + ": " + line.strip()));
      } catch (NoSuchFileException gone) {
        // It belonged to a test that runs beside this one.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found;
  }

  /** The files of the project; one that another process removes meanwhile is left out. */
  static List<Path> files() {
    List<Path> files = new ArrayList<>();
    try {
      Files.walkFileTree(
          ROOT,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes facts) {
              return NOT_OURS.contains(directory.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes facts) {
              // In a worktree, .git is a file. A picture may hold any bytes.
              String name = file.getFileName().toString();
              if (facts.isRegularFile() && !name.equals(".git") && !name.endsWith(".png")) {
                files.add(file);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException why) throws IOException {
              return why instanceof NoSuchFileException
                  ? FileVisitResult.CONTINUE
                  : super.visitFileFailed(file, why);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }
}

package io.csi4j.volume.powercut;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The program behind {@code testing/powercut}, for its mount namespace. */
final class PowerCuts {

  /** Ends of the program. */
  private static final int GOOD = 0;

  private static final int WRONG = 1;
  private static final int CANNOT = 3;

  private static final int CUTS = 480;

  private PowerCuts() {}

  /**
   * Runs the rig.
   *
   * @param words the filesystem, the seconds, the seed, and a file for the two cells of the row in
   *     the track record
   */
  public static void main(String[] words) throws IOException {
    FilesystemKind kind = FilesystemKind.of(words[0]);
    long seconds = Long.parseLong(words[1]);
    long seed = Long.parseLong(words[2]);
    Optional<String> obstacle = Obstacle.to(kind);
    if (obstacle.isPresent()) {
      System.err.println("No power can be cut here: " + obstacle.get());
      System.exit(CANNOT);
    }
    Path directory = Files.createTempDirectory("powercut");
    Machine.run("mount", "-t", "tmpfs", "powercut", directory.toString());
    Verdict verdict =
        PowerCutRig.run(
            directory,
            kind,
            new PowerCutRig.Measure(Duration.ofSeconds(seconds), CUTS, seed),
            System.out::println);
    Machine.run("umount", "--lazy", directory.toString());
    Files.delete(directory);
    Files.writeString(Path.of(words[3]), verdict.did() + "\n" + verdict.found() + "\n");
    System.out.println(
        (verdict.isGood() ? "GOOD" : "WRONG")
            + ": "
            + kind
            + ", seed "
            + seed
            + ": "
            + verdict.did()
            + "; found "
            + verdict.found());
    System.exit(verdict.isGood() ? GOOD : WRONG);
  }
}

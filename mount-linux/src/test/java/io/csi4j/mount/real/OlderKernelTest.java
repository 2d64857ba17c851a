package io.csi4j.mount.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * That no test of mounts takes for granted what only a newer kernel has: all of them, but for the
 * campaigns, run where a filter hides the calls that Linux 5.10 lacks. {@code testing/kernels} runs
 * them on such a kernel itself.
 */
@MountTest
@Tag("campaign")
@PlayedInShares
class OlderKernelTest {

  private static final String NEWER_CALLS = "mount_setattr,statmount,listmount,fanotify_init";

  @Test
  void everyTestPassesOrSaysWhyItCannotBeDoneWithoutTheCallsThatLinux510Lacks(Scratch scratch)
      throws Exception {
    Path said = scratch.file("said");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dcsi4j.hidden.calls=" + NEWER_CALLS,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                TestsInTurn.class.getName()));
    command.addAll(classesThatMount());
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }

    // Not all that the tests print is text.
    String text = new String(Files.readAllBytes(said), StandardCharsets.US_ASCII);
    assertThat(text.lines()).noneMatch(line -> line.startsWith("  FAILED "));
    assertThat(process.exitValue()).as(text).isZero();
    assertThat(text)
        .contains("no STATMOUNT here: statmount answers ENOSYS")
        .contains("no MOUNT_SETATTR here: mount_setattr answers ENOSYS")
        .contains("no events of mounts: fanotify_init answers ENOSYS");
  }

  private static List<String> classesThatMount() throws Exception {
    Path top =
        Path.of(OlderKernelTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> names = new ArrayList<>();
    // Tests of other modules may lie there, too.
    try (Stream<Path> files = Files.walk(top.resolve("io/csi4j/mount"))) {
      for (Path file : files.filter(each -> each.toString().endsWith("Test.class")).toList()) {
        String path = top.relativize(file).toString();
        String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
        Class<?> type = Class.forName(name, false, OlderKernelTest.class.getClassLoader());
        if (type.isAnnotationPresent(MountTest.class) && type != OlderKernelTest.class) {
          names.add(name);
        }
      }
    }
    assertThat(names).contains(FuseServerTest.class.getName());
    return names;
  }
}

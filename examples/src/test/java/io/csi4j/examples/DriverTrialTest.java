package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.testkit.cli.Main;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of testing/drivers that need no other project: what passes, and what must not. */
@MountTest
@Tag("campaign")
@PlayedInShares
class DriverTrialTest {

  private static final List<String> SETTINGS = List.of("trial.rounds", "trial.patience");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @BeforeEach
  void shorten() {
    System.setProperty("trial.rounds", "4");
    System.setProperty("trial.patience", "10");
  }

  @AfterEach
  void restore() {
    SETTINGS.forEach(System::clearProperty);
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent", "kills", "proxy"})
  void thePluginThatReallyMountsPasses(String part, Scratch scratch) {
    assertThat(trial(scratch, part, serve("--host-path", "\"$DRIVER_DATA\"")))
        .startsWith(part + " passed: ");
    assertThat(Scratch.rows("self"))
        .filteredOn(row -> row.contains(scratch.file("trial") + "/volumes/"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent", "proxy"})
  void aDriverThatMountsNothingFails(String part, Scratch scratch) {
    assertThat(trial(scratch, part, serve()))
        .startsWith(part + " failed: ")
        .contains("CSI-412 MOUNT_NOT_VISIBLE");
  }

  @Test
  void aDriverThatLeavesItsMountsFailsTheKills(Scratch scratch) throws IOException {
    Path faults = faults(scratch, "NodeUnpublishVolume: answer {}");
    assertThat(
            trial(
                scratch,
                "kills",
                serve("--host-path", "\"$DRIVER_DATA\"", "--faults", "" + faults)))
        .startsWith("kills failed: Round ")
        .contains("of seed 1", "mounted besides: [" + scratch.file("trial") + "/volumes/v/");
  }

  @Test
  void anAnswerThatBreaksTheSpecFailsTheProxy(Scratch scratch) throws IOException {
    Path faults =
        faults(
            scratch,
            "CreateVolume: change {\"volume\": {\"volume_id\": \"v\", \"capacity_bytes\": 1}}");
    assertThat(
            trial(
                scratch,
                "proxy",
                serve("--host-path", "\"$DRIVER_DATA\"", "--faults", "" + faults)))
        .startsWith("proxy failed: Creating volume 'life-0'");
  }

  @Test
  void aSidecarThatFollowsItsPluginPasses(Scratch scratch) {
    assertThat(sidecar(scratch, "livenessprobe", "faithful"))
        .isEqualTo("livenessprobe passed: 9 steps");
    assertThat(sidecar(scratch, "node-driver-registrar", "faithful"))
        .isEqualTo("node-driver-registrar passed: 7 steps");
  }

  @Test
  void aSidecarThatSaysWhatIsNotSoFails(Scratch scratch) {
    assertThat(sidecar(scratch, "livenessprobe", "careless"))
        .isEqualTo(
            "livenessprobe failed: It answers 200 and not 500 for a plugin that fails Probe.");
    assertThat(sidecar(scratch, "node-driver-registrar", "careless"))
        .isEqualTo(
            "node-driver-registrar failed: A registrar that was refused ended with status 0.");
  }

  private String trial(Scratch scratch, String part, String command) {
    DriverTrial.run(
        new String[] {part, scratch.file("trial").toString(), command}, stream(), System.err);
    return out.toString(StandardCharsets.UTF_8).strip();
  }

  private String sidecar(Scratch scratch, String name, String manner) {
    out.reset();
    SidecarTrial.run(
        new String[] {
          name,
          scratch.file(name.substring(0, 4)).toString(),
          java(TrialSidecar.class, name, manner)
        },
        stream(),
        System.err);
    return out.toString(StandardCharsets.UTF_8).strip();
  }

  private PrintStream stream() {
    return new PrintStream(out, true, StandardCharsets.UTF_8);
  }

  private static Path faults(Scratch scratch, String rule) throws IOException {
    return Files.writeString(scratch.file("faults.txt"), rule + "\n");
  }

  /** The command that serves a plugin of the testkit. */
  private static String serve(String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("plugin", "serve", "--endpoint", "\"$CSI_ENDPOINT\""));
    arguments.addAll(List.of(options));
    return java(Main.class, arguments.toArray(String[]::new));
  }

  private static String java(Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>(MortalPlugin.command(program, Path.of("x")));
    command.remove(command.size() - 1);
    return Stream.concat(command.stream().map(each -> "'" + each + "'"), Stream.of(arguments))
        .collect(Collectors.joining(" "));
  }
}

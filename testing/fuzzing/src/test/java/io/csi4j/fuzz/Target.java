package io.csi4j.fuzz;

import io.csi4j.client.internal.mapping.AnswerFuzz;
import io.csi4j.client.internal.redaction.ScrubberFuzz;
import io.csi4j.mount.internal.table.MountInfoFuzz;
import io.csi4j.mount.internal.table.StatmountFuzz;
import io.csi4j.testkit.cli.ArgumentsFuzz;
import io.csi4j.testkit.cli.SecretsFileFuzz;
import io.csi4j.testkit.fault.FaultScriptFuzz;
import io.csi4j.testkit.internal.server.FramesFuzz;
import io.csi4j.testkit.recording.RecordingFuzz;
import io.csi4j.volume.internal.catalog.CatalogRecordFuzz;
import io.csi4j.volume.internal.claims.ClaimRecordFuzz;
import io.csi4j.volume.internal.journal.JournalFuzz;
import io.csi4j.volume.internal.layout.IdentityFileFuzz;
import io.csi4j.volume.internal.plugin.PluginRecordFuzz;
import io.csi4j.volume.internal.record.VolumeRecordFuzz;
import io.csi4j.volume.node.ClusterMessageFuzz;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Everything that is read from others, each with the property that holds for any bytes. The class
 * of a target is in the package of its parser, and its name ends in {@code Fuzz}.
 */
@SuppressWarnings("ImmutableEnumChecker") // properties are functions without state
public enum Target {
  MOUNTINFO(
      MountInfoFuzz.class,
      MountInfoFuzz::fuzzerTestOneInput,
      "mount-linux/src/test/resources/mountinfo-corpus"),
  STATMOUNT(StatmountFuzz.class, StatmountFuzz::fuzzerTestOneInput),
  JOURNAL(JournalFuzz.class, JournalFuzz::fuzzerTestOneInput),
  VOLUME_RECORD(
      VolumeRecordFuzz.class,
      VolumeRecordFuzz::fuzzerTestOneInput,
      "volume-manager/node/src/test/resources/io/csi4j/volume/internal/record"),
  PLUGIN_RECORD(
      PluginRecordFuzz.class,
      PluginRecordFuzz::fuzzerTestOneInput,
      "volume-manager/plugins/src/test/resources/io/csi4j/volume/internal/plugin"),
  CLAIM_RECORD(
      ClaimRecordFuzz.class,
      ClaimRecordFuzz::fuzzerTestOneInput,
      "volume-manager/claims/src/test/resources/io/csi4j/volume/internal/claims"),
  CATALOG_RECORD(CatalogRecordFuzz.class, CatalogRecordFuzz::fuzzerTestOneInput),
  CLUSTER_MESSAGE(ClusterMessageFuzz.class, ClusterMessageFuzz::fuzzerTestOneInput),
  IDENTITY_FILE(IdentityFileFuzz.class, IdentityFileFuzz::fuzzerTestOneInput),
  FAULT_SCRIPT(FaultScriptFuzz.class, FaultScriptFuzz::fuzzerTestOneInput),
  RECORDING(RecordingFuzz.class, RecordingFuzz::fuzzerTestOneInput),
  FRAMES(FramesFuzz.class, FramesFuzz::fuzzerTestOneInput),
  SECRETS_FILE(SecretsFileFuzz.class, SecretsFileFuzz::fuzzerTestOneInput),
  ANSWER(AnswerFuzz.class, AnswerFuzz::fuzzerTestOneInput),
  SCRUBBER(ScrubberFuzz.class, ScrubberFuzz::fuzzerTestOneInput),
  ARGUMENTS(ArgumentsFuzz.class, ArgumentsFuzz::fuzzerTestOneInput);

  /** The root of the source tree. */
  static final Path ROOT = Path.of(System.getProperty("csi4j.root", ".")).toAbsolutePath();

  private final Class<?> type;
  private final Consumer<byte[]> property;
  private final List<String> folders;

  Target(Class<?> type, Consumer<byte[]> property, String... others) {
    this.type = type;
    this.property = property;
    this.folders =
        Stream.concat(Stream.of("testing/fuzzing/corpus/" + written()), Stream.of(others)).toList();
  }

  /** The class with the property, as drivers of fuzzing want it. */
  Class<?> type() {
    return type;
  }

  /** Throws if the property does not hold for the bytes. */
  void check(byte[] input) {
    property.accept(input);
  }

  /** The name on a command line. */
  String written() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The folders with inputs that are kept. */
  List<Path> folders() {
    return folders.stream().map(ROOT::resolve).filter(Files::isDirectory).toList();
  }

  /** The inputs that are kept. */
  List<Path> corpus() {
    return folders().stream().flatMap(Target::files).toList();
  }

  private static Stream<Path> files(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.csi4j.examples.ozone;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.real.Eventually;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Apache Ozone's CSI server in a process of its own, over buckets that are directories. A script
 * stands in for its mount command and for {@code fusermount}, and takes faults.
 */
final class OzoneServer implements AutoCloseable {

  /** The folder of the project that downloads the server. */
  static final Path HOME =
      Path.of(System.getProperty("csi4j.root", ".."), "testing", "ozone")
          .toAbsolutePath()
          .normalize();

  /** The command that downloads the server. */
  static final String DOWNLOAD = "mvn -f testing/ozone/pom.xml compile";

  private final Path directory;
  private final Path faults;
  private Process process;

  private OzoneServer(Path directory) {
    this.directory = directory;
    faults = directory.resolve("faults");
  }

  /** Whether the server was downloaded. */
  static boolean isHere() {
    return Files.isDirectory(HOME.resolve("target/lib"))
        && Files.isDirectory(HOME.resolve("target/classes"));
  }

  /** Starts a server with no bucket. */
  static OzoneServer start(Path directory) {
    OzoneServer server = new OzoneServer(directory);
    try {
      Files.createDirectories(server.buckets());
      Files.createDirectories(server.faults);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.start();
    return server;
  }

  /** Starts the process unless it lives, and waits until it serves. */
  void start() {
    if (process != null && process.isAlive()) {
      return;
    }
    Path script = HOME.resolve("bin/fusermount");
    Path target = HOME.resolve("target");
    ProcessBuilder command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m",
                "-cp",
                target.resolve("classes") + File.pathSeparator + target.resolve("lib") + "/*",
                "org.apache.hadoop.ozone.csi.CsiServer",
                "--set=ozone.om.transport.class=io.csi4j.ozone.BucketDirectories",
                "--set=ozone.csi.owner=root",
                "--set=ozone.csi.socket=" + socket(),
                "--set=ozone.csi.s3g.address=" + buckets(),
                "--set=ozone.csi.mount.command=" + script + " %s %s %s")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
    command
        .environment()
        .merge("PATH", script.getParent().toString(), (old, bin) -> bin + ":" + old);
    command.environment().put("FAULTS", faults.toString());
    try {
      process = command.start();
      connect().close();
    } catch (IOException | RuntimeException e) {
      throw new AssertionError("Ozone's CSI server does not serve:\n" + log(), e);
    }
  }

  private Path logFile() {
    return directory.resolve("ozone.log");
  }

  /** Returns the log of all its processes. */
  String log() {
    try {
      return Files.readString(logFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path socket() {
    return directory.resolve("csi.sock");
  }

  Path buckets() {
    return directory.resolve("buckets");
  }

  CsiPlugin connect() {
    return CsiPlugin.connect(
        CsiEndpoint.of(socket()),
        ConnectOptions.builder().waitForSocket(true).deadline(Duration.ofMinutes(1)).build());
  }

  /** Makes a bucket by the server's controller, and returns its directory. */
  Path bucket(String name) {
    try (CsiPlugin plugin = connect()) {
      plugin
          .controller()
          .createVolume(
              CreateVolumeRequest.builder(
                      name, List.of(VolumeCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER)))
                  .build());
    }
    return buckets().resolve(name);
  }

  /** Sets a fault for each of the next runs of the mount command; the script lists the faults. */
  void onMount(String... each) {
    write("mount", each);
  }

  /** Sets a fault for each of the next runs of {@code fusermount}. */
  void onUnmount(String... each) {
    write("unmount", each);
  }

  /** Makes the runs with the fault "wait" wait. */
  void hold() {
    write("held");
  }

  /** Whether a run waits. */
  boolean isWaiting() {
    return Files.exists(faults.resolve("waiting"));
  }

  /** Removes all faults and the list of runs, and ends the waiting. */
  void clearFaults() {
    for (String file : List.of("mount", "unmount", "waiting", "held", "done")) {
      try {
        Files.deleteIfExists(faults.resolve(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The successful runs since the faults were cleared: "mount" or "unmount" each. */
  List<String> done() {
    try {
      Path file = faults.resolve("done");
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the waiting of a run, and returns once the run has ended. */
  void letGo() {
    int before = done().size();
    try {
      Files.delete(faults.resolve("held"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Eventually.isTrue("the command goes on", () -> done().size() > before);
  }

  private void write(String file, String... lines) {
    try {
      Files.write(faults.resolve(file), List.of(lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Waits until the process has ended. */
  void awaitEnd() {
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}

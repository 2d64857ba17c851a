package io.csi4j.benchmarks.mounts;

import io.csi4j.benchmarks.Program;
import io.csi4j.mount.MountTable;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import io.csi4j.mount.model.UnmountPolicy;
import io.csi4j.mount.model.UnmountResult;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The operations of the library, on existing mounts. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MountBenchmarks {

  /** The observed path. */
  @State(Scope.Benchmark)
  public static class Volumes {

    /** The number of mounts. */
    @Param("0")
    public int size;

    final MountTable table = MountTable.system();
    final Mounts mounts = Mounts.system();
    MountPath path = MountPath.ROOT;
    MountPath plain = MountPath.ROOT;
    BindRequest spare = BindRequest.builder(MountPath.ROOT, MountPath.ROOT).build();

    /** Chooses one of the mounts. */
    @Setup(Level.Trial)
    public void choose() {
      Layout layout = Layout.ofThisJvm();
      path = layout.volume(size / 2);
      plain = path.parent();
      spare = BindRequest.builder(layout.source(), layout.spare()).build();
    }
  }

  /** A snapshot, after which one more mount was created. */
  @State(Scope.Benchmark)
  public static class Outdated {

    final MountSnapshot before = MountTable.system().list();

    /** Creates one more mount. */
    @Setup(Level.Trial)
    public void mount() throws IOException, InterruptedException {
      Layout layout = Layout.ofThisJvm();
      Program.run("mount", "--bind", layout.source().toString(), layout.spare().toString());
    }

    /** Removes the additional mount. */
    @TearDown(Level.Trial)
    public void unmount() throws IOException, InterruptedException {
      Program.run("umount", Layout.ofThisJvm().spare().toString());
    }
  }

  @Benchmark
  public MountProbe probe(Volumes volumes) {
    return volumes.table.probe(volumes.path);
  }

  @Benchmark
  public MountProbe probePlain(Volumes volumes) {
    return volumes.table.probe(volumes.plain);
  }

  @Benchmark
  public Optional<MountRecord> find(Volumes volumes) {
    return volumes.table.find(volumes.path);
  }

  @Benchmark
  public MountSnapshot table(Volumes volumes) {
    return volumes.table.list();
  }

  @Benchmark
  public MountSnapshot.Changes refresh(Volumes volumes, Outdated outdated) {
    return outdated.before.refresh();
  }

  @Benchmark
  public UnmountResult bindUnmount(Volumes volumes) {
    volumes.mounts.bind(volumes.spare);
    return volumes.mounts.unmount(volumes.spare.target(), UnmountPolicy.PLAIN);
  }
}

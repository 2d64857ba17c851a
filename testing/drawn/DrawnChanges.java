import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import org.pitest.bytecode.analysis.ClassTree;
import org.pitest.mutationtest.build.InterceptorParameters;
import org.pitest.mutationtest.build.InterceptorType;
import org.pitest.mutationtest.build.MutationInterceptor;
import org.pitest.mutationtest.build.MutationInterceptorFactory;
import org.pitest.mutationtest.engine.Mutater;
import org.pitest.mutationtest.engine.MutationDetails;
import org.pitest.mutationtest.engine.MutationIdentifier;
import org.pitest.plugin.Feature;

/**
 * A filter for PIT that keeps the changes named in the file of the system property {@code
 * csi4j.drawn}, a line each: class, method, parameters, kind and first instruction, with a tab
 * between them. Without the property it keeps all. {@code testing/seeded} compiles it.
 */
public final class DrawnChanges implements MutationInterceptorFactory {

  @Override
  public MutationInterceptor createInterceptor(InterceptorParameters parameters) {
    String file = System.getProperty("csi4j.drawn");
    Set<String> drawn = file == null ? null : lines(Path.of(file));
    return new MutationInterceptor() {
      @Override
      public InterceptorType type() {
        return InterceptorType.PRE_SCAN_FILTER;
      }

      @Override
      public void begin(ClassTree changed) {}

      @Override
      public Collection<MutationDetails> intercept(
          Collection<MutationDetails> changes, Mutater mutater) {
        return drawn == null
            ? changes
            : changes.stream().filter(change -> drawn.contains(line(change.getId()))).toList();
      }

      @Override
      public void end() {}
    };
  }

  private static Set<String> lines(Path file) {
    try {
      return Set.copyOf(Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(MutationIdentifier change) {
    return String.join(
        "\t",
        change.getClassName().asJavaName(),
        change.getLocation().getMethodName(),
        change.getLocation().getMethodDesc(),
        change.getMutator(),
        String.valueOf(change.getFirstIndex()));
  }

  @Override
  public Feature provides() {
    return Feature.named("DRAWN").withOnByDefault(true).withDescription(description());
  }

  @Override
  public String description() {
    return "Keeps the changes that were drawn";
  }
}

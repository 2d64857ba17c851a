package io.csi4j.benchmarks.lifecycle;

import io.csi4j.client.model.CsiEndpoint;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.util.concurrent.TimeUnit;

/** A channel to a socket with gRPC's defaults and its own I/O thread. */
record BareChannel(ManagedChannel channel, EventLoopGroup loop) implements AutoCloseable {

  static BareChannel to(CsiEndpoint endpoint) {
    EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    return new BareChannel(
        NettyChannelBuilder.forAddress(new DomainSocketAddress(endpoint.path().toString()))
            .channelType(EpollDomainSocketChannel.class)
            .eventLoopGroup(loop)
            .usePlaintext()
            .build(),
        loop);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}

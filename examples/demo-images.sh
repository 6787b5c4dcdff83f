#!/bin/sh
# A private network that tells clothes apart: Fashion-MNIST, as Debian packages it, at epsilon 3. Each
# command is shown, then run; what it writes stays in build/demo-images. `make demo-images` installs
# the images, builds and calls this.
set -eu
sotto=${1:?give the path of the built command, for example build/sotto}
data=${2:-/usr/share/datasets/fashion-mnist}
PATH=$(cd "$(dirname "$sotto")" && pwd):$PATH
if [ ! -f "$data/train-images-idx3-ubyte.gz" ]; then
    echo "$data has no train-images-idx3-ubyte.gz; install dataset-fashion-mnist with tools/deps images" >&2
    exit 2
fi
data=$(cd "$data" && pwd)
cd "$(dirname "$0")/.."
. examples/say.sh
mkdir -p build/demo-images
cp examples/fashion-mnist.schema.json build/demo-images/
cd build/demo-images
chmod go-w . # a ledger is refused where others could replace it
rm -rf clothes.ledger* model.json* second.json* predictions.tsv report.html
ln -sf "$data"/*-ubyte.gz .

say '60000 photographs of clothes that were for sale, 28 x 28 grey pixels each, in ten classes:' \
    '0 T-shirt, 1 trousers, 2 pullover, 3 dress, 4 coat, 5 sandal, 6 shirt, 7 sneaker, 8 bag, 9 ankle boot.' \
    'Think of them as secret: one row is one image. What is public stands in the schema.'
show 'sotto schema check fashion-mnist.schema.json'

say 'The curator gives the data set a budget, for good: epsilon 4 at delta 1e-5.'
show 'sotto ledger init clothes.ledger --dataset fashion-mnist --epsilon 4 --delta 1e-5'

say 'What would a network cost? No image is read. All settings follow from the public numbers here.'
show 'sotto plan --schema fashion-mnist.schema.json --model scattering-linear --epsilon 3 --delta 1e-5 --expected-rows 60000'

say 'The training: scattering transform, then one layer that is learned, by noisy steps on drawn images.' \
    'The ledger is charged before the first one is read. The 10000 test images are declared public: they' \
    'make the learning curve, and nothing is chosen by it.'
begin=$(date +%s)
show 'sotto train train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --schema fashion-mnist.schema.json --model scattering-linear --epsilon 3 --delta 1e-5 --expected-rows 60000 --validation t10k-images-idx3-ubyte.gz --validation-labels t10k-labels-idx1-ubyte.gz --ledger clothes.ledger -o model.json'
printf '(%s seconds)\n' $(($(date +%s) - begin))
[ -f model.json ] || exit 1

say 'The certificate in the model file, recomputed from that file alone (its first part).'
show 'sotto verify model.json | head -n 36'

say 'How good is it on the public test images?'
show 'sotto evaluate model.json t10k-images-idx3-ubyte.gz --labels t10k-labels-idx1-ubyte.gz --data-is-public'

say 'Predictions: one class a row (--probabilities adds the probability of each), and the labels.'
show 'sotto predict model.json t10k-images-idx3-ubyte.gz > predictions.tsv; head -n 20 predictions.tsv | paste -s -d " "'
show 'gzip -dc t10k-labels-idx1-ubyte.gz | tail -c +9 | od -A n -t u1 -N 20 | xargs'

say 'A second network would go over the budget: refused, before an image is read.'
show 'sotto train train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --schema fashion-mnist.schema.json --model mlp --epsilon 3 --delta 1e-5 --expected-rows 60000 --ledger clothes.ledger -o second.json'
show 'sotto ledger show clothes.ledger'

say 'Everything above on one page, with the classes that it confuses, images and its surest mistakes:' \
    'open build/demo-images/report.html in a browser.'
show 'sotto report model.json --public t10k-images-idx3-ubyte.gz --labels t10k-labels-idx1-ubyte.gz --ledger clothes.ledger -o report.html'

say 'What is in build/demo-images now.'
show 'ls'
